window.location = "/";
var agent = {name: "user-agent: *"};

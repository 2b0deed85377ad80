//! CLASSIFY: names what a response is and what a body is; pure.

//! A body and questions about it, out of the fuzzer's bytes: the body, then lines of agents and URLs after a form feed.

/// Agents, URLs and the body. Some of each are always there, so that short inputs ask something too.
pub fn questions(bytes: &[u8]) -> (Vec<String>, Vec<String>, &[u8]) {
    let cut = bytes.iter().rposition(|byte| *byte == 0x0c);
    let (body, asked) = cut.map_or((bytes, &b""[..]), |cut| (&bytes[..cut], &bytes[cut + 1..]));
    let mut agents: Vec<String> = ["Googlebot", "a", "b/2"].map(str::to_owned).to_vec();
    let mut urls: Vec<String> = ["/", "/robots.txt", "/a?b", "http://x.example/%41*$"].map(str::to_owned).to_vec();
    for line in String::from_utf8_lossy(asked).lines().take(8) {
        let list = if line.contains(['/', '?', '.']) { &mut urls } else { &mut agents };
        if !line.is_empty() {
            list.push(line.to_owned());
        }
    }
    (agents, urls, body)
}

//! Who may ask: with a token those who know it, without one only programs of this machine.

use crate::problem::Problem;
use axum::http::request::Parts;
use axum::http::uri::Authority;
use axum::http::{HeaderMap, StatusCode, header};
use std::fmt;
use std::io;
use std::net::IpAddr;
use subtle::ConstantTimeEq as _;
use url::{Host, Url};

/// The shortest token: 128 bits in hexadecimal digits are 32, and passwords that people think of are shorter.
const MIN_TOKEN: usize = 16;
const MAX_TOKEN: usize = 4096;

/// A secret that requests must show.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// The token of a text; white space around it is not part of it.
    ///
    /// # Errors
    /// If it is too short to be a secret, or cannot be part of a header.
    pub fn new(text: &str) -> Result<Token, String> {
        let token = text.trim();
        if !(MIN_TOKEN..=MAX_TOKEN).contains(&token.len()) || !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(format!(
                "a token is {MIN_TOKEN} to {MAX_TOKEN} letters, digits and signs without spaces: make one with `openssl rand -hex 32`"
            ));
        }
        Ok(Token(token.to_string()))
    }

    /// A token that nobody can guess.
    pub(crate) fn random() -> io::Result<Token> {
        let mut bytes = [0u8; 16];
        getrandom::fill(&mut bytes).map_err(|error| io::Error::other(format!("no random numbers: {error}")))?;
        Ok(Token(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// Whether a text is the token. The time it takes does not depend on where they differ.
    pub(crate) fn is(&self, text: &str) -> bool {
        text.as_bytes().ct_eq(self.0.as_bytes()).into()
    }

    /// The token itself, for the address that shows it.
    pub(crate) fn secret(&self) -> &str {
        &self.0
    }
}

/// Tokens are not shown.
impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

/// Refuses requests that may not be answered.
///
/// Without a token the service listens on this machine alone, which a page in a browser can reach, too: through a host name that its owner
/// points at this machine, which shows in `Host`, or with a request to the address itself, which shows in `Origin`.
pub(crate) fn check(parts: &Parts, token: Option<&Token>) -> Result<(), Problem> {
    let Some(token) = token else { return check_local(parts) };
    // Whoever checks that the service is up need not know the secret.
    if parts.uri.path() == "/healthz" {
        return Ok(());
    }
    let shown = single(&parts.headers, header::AUTHORIZATION).and_then(|value| value.split_once(' '));
    let is_known = shown.is_some_and(|(scheme, shown)| scheme.eq_ignore_ascii_case("bearer") && token.is(shown.trim()));
    match is_known {
        true => Ok(()),
        false => Err(Problem::new(
            StatusCode::UNAUTHORIZED,
            "unauthorized",
            "this service needs the header `Authorization: Bearer` with its token",
        )),
    }
}

fn check_local(parts: &Parts) -> Result<(), Problem> {
    let refuse = |message: &str| Err(Problem::new(StatusCode::FORBIDDEN, "forbidden", message));
    let host = single(&parts.headers, header::HOST).and_then(|host| host.parse::<Authority>().ok());
    // A request line can name a host, too, and it need not be the one in the header.
    let in_address = parts.uri.authority().is_none_or(|authority| is_loopback(authority.host()));
    if !host.is_some_and(|host| is_loopback(host.host())) || !in_address {
        return refuse(
            "without a token, only requests to localhost, 127.0.0.1 or [::1] are answered: see the header Host",
        );
    }
    if parts.headers.contains_key(header::ORIGIN) {
        let origin = single(&parts.headers, header::ORIGIN).and_then(|origin| Url::parse(origin).ok());
        if !origin.is_some_and(|origin| origin.host_str().is_some_and(is_loopback)) {
            return refuse("without a token, pages of other sites are not answered: see the header Origin");
        }
    }
    Ok(())
}

/// The value of a header that is given exactly once.
fn single(headers: &HeaderMap, name: header::HeaderName) -> Option<&str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

/// Whether a host is this machine, no matter what names resolve to.
fn is_loopback(host: &str) -> bool {
    match Host::parse(host) {
        Ok(Host::Domain(name)) => name == "localhost",
        Ok(Host::Ipv4(address)) => IpAddr::from(address).is_loopback(),
        Ok(Host::Ipv6(address)) => IpAddr::from(address).is_loopback(),
        Err(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::Request;

    fn status(uri: &str, headers: &[(&str, &str)], token: Option<&str>) -> u16 {
        let mut request = Request::builder().uri(uri);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let (parts, ()) = request.body(()).unwrap().into_parts();
        let token = token.map(|token| Token::new(token).unwrap());
        check(&parts, token.as_ref()).map_or_else(|problem| problem.status.as_u16(), |()| 200)
    }

    #[test]
    fn without_a_token_only_this_machine_is_answered() {
        let host = |host| status("/v1/extract", &[("host", host)], None);
        for local in ["localhost", "LocalHost:8632", "127.0.0.1:1", "127.3.2.1", "[::1]", "[::1]:80"] {
            assert_eq!(host(local), 200, "{local}");
        }
        for other in [
            "",
            "a.example",
            "localhost.a.example",
            "127.0.0.1.a.example",
            "192.168.0.1",
            "[::2]",
            "0.0.0.0",
            "a@localhost.b",
        ] {
            assert_eq!(host(other), 403, "{other}");
        }
        assert_eq!(status("/", &[], None), 403);
        assert_eq!(status("/", &[("host", "localhost"), ("host", "a.example")], None), 403);
        assert_eq!(status("http://a.example/", &[("host", "localhost")], None), 403);
        let origin = |origin| status("/", &[("host", "localhost"), ("origin", origin)], None);
        assert_eq!(origin("http://localhost:3000"), 200);
        assert_eq!(origin("http://127.0.0.1"), 200);
        for other in ["null", "", "https://a.example", "http://localhost.a.example", "file://", "localhost"] {
            assert_eq!(origin(other), 403, "{other}");
        }
    }

    #[test]
    fn with_a_token_only_those_who_know_it_are_answered() {
        let secret = "0123456789abcdef";
        let shown = |value: &str| status("/metrics", &[("authorization", value)], Some(secret));
        assert_eq!(shown("Bearer 0123456789abcdef"), 200);
        assert_eq!(shown("bearer  0123456789abcdef "), 200);
        for other in
            ["", "Bearer", "Bearer ", "Basic 0123456789abcdef", "Bearer 0123456789abcdeF", "Bearer 0123456789abcdef0"]
        {
            assert_eq!(shown(other), 401, "{other}");
        }
        assert_eq!(status("/metrics", &[("host", "localhost")], Some(secret)), 401);
        assert_eq!(status("/healthz", &[("host", "a.example")], Some(secret)), 200);
        let twice = [("authorization", "Bearer 0123456789abcdef"), ("authorization", "Bearer 0123456789abcdef")];
        assert_eq!(status("/metrics", &twice, Some(secret)), 401);
    }

    #[test]
    fn weak_tokens_are_refused() {
        for weak in ["", "short", "0123456789abcde", "0123456789 abcdefg", "0123456789abcdefé"] {
            assert!(Token::new(weak).is_err(), "{weak}");
        }
        assert_eq!(format!("{:?}", Token::new(" 0123456789abcdef\n").unwrap()), "Token");
    }
}

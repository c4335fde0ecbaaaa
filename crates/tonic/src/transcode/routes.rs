//! [`Routes`]: which rule a request is for.

use super::template::{Segment, Template};
use http::Method;
use percent_encoding::percent_decode_str;
use std::collections::HashMap;

/// The templates as a tree of segments. A literal is before `*`, and that before `**`.
#[derive(Clone, Debug)]
pub(super) struct Routes {
    nodes: Vec<Node>,
}

#[derive(Clone, Debug, Default)]
struct Node {
    literals: HashMap<String, usize>,
    one: Option<usize>,
    /// Of templates that end here.
    leaves: Vec<Leaf>,
    /// Of templates that go on with `**`, and what follows it; those with more after it first.
    rest: Vec<(Vec<Segment>, Vec<Leaf>)>,
}

#[derive(Clone, Debug)]
struct Leaf {
    verb: Option<String>,
    /// `None` is any.
    method: Option<Method>,
    route: usize,
}

/// What is known about a request.
#[derive(Debug, PartialEq)]
pub(super) enum Found {
    /// The route, and whether its template has a verb.
    Route(usize, bool),
    /// The path exists, for these methods.
    Methods(Vec<Method>),
    Nothing,
}

impl Default for Routes {
    fn default() -> Self {
        Self { nodes: vec![Node::default()] }
    }
}

impl Routes {
    /// Adds a route. The one that has the same method and template already comes back.
    pub fn add(&mut self, method: Option<Method>, template: &Template, route: usize) -> Result<(), usize> {
        let rest = template.segments.iter().position(|segment| *segment == Segment::Rest);
        let (segments, tail) = match rest {
            Some(rest) => (&template.segments[..rest], Some(&template.segments[rest + 1..])),
            None => (&template.segments[..], None),
        };
        let mut at = 0;
        for segment in segments {
            let new = self.nodes.len();
            let node = &mut self.nodes[at];
            at = match segment {
                Segment::Literal(text) => *node.literals.entry(text.clone()).or_insert(new),
                Segment::One | Segment::Rest => *node.one.get_or_insert(new),
            };
            if at == new {
                self.nodes.push(Node::default());
            }
        }
        let node = &mut self.nodes[at];
        let leaves = match tail {
            None => &mut node.leaves,
            Some(tail) => {
                if !node.rest.iter().any(|(known, _)| known == tail) {
                    node.rest.push((tail.to_vec(), Vec::new()));
                    let literals = |tail: &[Segment]| tail.iter().filter(|of| **of != Segment::One).count();
                    node.rest.sort_by_key(|(tail, _)| std::cmp::Reverse((tail.len(), literals(tail))));
                }
                let found = node.rest.iter_mut().find(|(known, _)| known == tail);
                found.map_or(&mut node.leaves, |(_, leaves)| leaves)
            }
        };
        if let Some(leaf) = leaves.iter().find(|leaf| leaf.verb == template.verb && leaf.method == method) {
            return Err(leaf.route);
        }
        leaves.push(Leaf { verb: template.verb.clone(), method, route });
        Ok(())
    }

    /// The route of a method and of the segments of a path. The text after the last colon is a verb if a template has it; an escaped
    /// colon begins no verb. `None` if the path is not UTF-8.
    pub fn find(&self, method: &Method, segments: &[&str]) -> Option<Found> {
        let decoded: Result<Vec<_>, _> =
            segments.iter().map(|segment| percent_decode_str(segment).decode_utf8()).collect();
        let decoded = decoded.ok()?;
        let mut decoded: Vec<&str> = decoded.iter().map(|segment| &**segment).collect();
        let mut allowed = Vec::new();
        if let Some((stem, verb)) = segments.last().and_then(|last| last.rsplit_once(':'))
            && let Some(last) = decoded.pop()
        {
            // Half of what is UTF-8 is UTF-8, for the colon is.
            let stem = percent_decode_str(stem).decode_utf8().ok()?;
            let segments = [&decoded[..], &[&*stem]].concat();
            if let Some(route) = self.walk(0, &segments, Some(verb), method, &mut allowed) {
                return Some(Found::Route(route, true));
            }
            decoded.push(last);
        }
        Some(match self.walk(0, &decoded, None, method, &mut allowed) {
            Some(route) => Found::Route(route, false),
            None if allowed.is_empty() => Found::Nothing,
            None => {
                allowed.sort_by(|one, other| one.as_str().cmp(other.as_str()));
                allowed.dedup();
                Found::Methods(allowed)
            }
        })
    }

    /// Visits each node at most once: a node is at one depth. It is as deep as the longest template.
    fn walk(
        &self,
        at: usize,
        segments: &[&str],
        verb: Option<&str>,
        method: &Method,
        allowed: &mut Vec<Method>,
    ) -> Option<usize> {
        let node = &self.nodes[at];
        let found = match segments.split_first() {
            None => select(&node.leaves, verb, method, allowed),
            Some((first, others)) => node
                .literals
                .get(*first)
                .and_then(|&next| self.walk(next, others, verb, method, allowed))
                .or_else(|| {
                    let next = node.one.filter(|_| !first.is_empty())?;
                    self.walk(next, others, verb, method, allowed)
                }),
        };
        found.or_else(|| {
            let fits = |(tail, _): &&(Vec<Segment>, Vec<Leaf>)| {
                let start = segments.len().checked_sub(tail.len());
                let found = start.and_then(|start| segments.get(start..));
                found.is_some_and(|found| {
                    tail.iter().zip(found).all(|(expected, found)| expected.takes(found))
                })
            };
            node.rest.iter().filter(fits).find_map(|(_, leaves)| select(leaves, verb, method, allowed))
        })
    }
}

/// The leaf of this verb and method, or else of any method.
fn select(leaves: &[Leaf], verb: Option<&str>, method: &Method, allowed: &mut Vec<Method>) -> Option<usize> {
    let of_verb = || leaves.iter().filter(|leaf| leaf.verb.as_deref() == verb);
    let found = of_verb()
        .find(|leaf| leaf.method.as_ref() == Some(method))
        .or_else(|| of_verb().find(|leaf| leaf.method.is_none()));
    if found.is_none() {
        allowed.extend(of_verb().filter_map(|leaf| leaf.method.clone()));
    }
    found.map(|leaf| leaf.route)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn routes(templates: &[&str]) -> Routes {
        let mut routes = Routes::default();
        for (at, template) in templates.iter().enumerate() {
            let (method, template) = template.split_once(' ').unwrap();
            let method = (method != "*").then(|| method.parse().unwrap());
            routes.add(method, &Template::parse(template).unwrap(), at).unwrap();
        }
        routes
    }

    fn find(routes: &Routes, request: &str) -> Found {
        let (method, path) = request.split_once(" /").unwrap();
        let segments: Vec<_> = if path.is_empty() { vec![] } else { path.split('/').collect() };
        routes.find(&method.parse().unwrap(), &segments).unwrap()
    }

    #[test]
    fn the_most_literal_template_is_taken() {
        let routes = routes(&[
            "GET /v1/{a}",
            "GET /v1/x",
            "GET /v1/{a=**}",
            "GET /v1/x/{b}/c",
            "GET /v1/{a}/y",
            "POST /v1/{a}:cancel",
            "GET /v1/{a=**}:tail",
            "* /any",
            "PUT /any",
            "GET /",
            "GET /w/{a=**}/y",
            "GET /w/{a=**}/y/{b}",
            "GET /w/{a=**}",
        ]);
        for (request, expected) in [
            ("GET /v1/x", 1),
            ("GET /v1/z", 0),
            ("GET /v1/z:z", 0),
            ("GET /v1/x/y", 4),
            ("GET /v1/x/y/c", 3),
            ("GET /w/1/2/y", 10),
            ("GET /w/y", 10),
            ("GET /w/1/y/z", 11),
            ("GET /w/1/2/z", 12),
            ("GET /w/z", 12),
            // Back out of a literal that leads nowhere.
            ("GET /v1/x/y/d", 2),
            ("GET /v1", 2),
            ("GET /v1/", 2),
            ("POST /v1/z:cancel", 5),
            ("GET /v1/a/b/c:tail", 6),
            ("PATCH /any", 7),
            ("PUT /any", 8),
            ("GET /", 9),
            ("GET /v1/%78", 1),
            ("GET /v1/a%3Atail", 0),
        ] {
            let verb = request.ends_with(":cancel") || request.ends_with(":tail");
            assert_eq!(find(&routes, request), Found::Route(expected, verb), "{request}");
        }
        assert_eq!(find(&routes, "DELETE /v1/x"), Found::Methods(vec![Method::GET]));
        assert_eq!(find(&routes, "PUT /v1/x:cancel"), Found::Methods(vec![Method::GET, Method::POST]));
        assert_eq!(find(&routes, "GET /v2/x"), Found::Nothing);
        assert_eq!(find(&routes, "GET /any/"), Found::Nothing);
        assert_eq!(routes.find(&Method::GET, &["%ff"]), None);
    }

    #[test]
    fn two_routes_for_one_request_are_refused() {
        let mut routes = routes(&["GET /a/{b}", "GET /a/{b=**}"]);
        let add = |routes: &mut Routes, method: Method, template: &str| {
            routes.add(Some(method), &Template::parse(template).unwrap(), 9)
        };
        assert_eq!(add(&mut routes, Method::GET, "/a/*"), Err(0));
        assert_eq!(add(&mut routes, Method::GET, "/a/{c=**}"), Err(1));
        assert_eq!(add(&mut routes, Method::GET, "/a/{b}:c"), Ok(()));
        assert_eq!(add(&mut routes, Method::PUT, "/a/*"), Ok(()));
        assert_eq!(add(&mut routes, Method::GET, "/a/**/b"), Ok(()));
        assert_eq!(add(&mut routes, Method::GET, "/a/{c=**}/b"), Err(9));
    }
}

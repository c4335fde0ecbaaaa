//! Templates of paths: `/v1/{name=shelves/*/books/*}:publish`.

use percent_encoding::percent_decode_str;

/// A template: "Path template syntax" of google/api/http.proto.
#[derive(Debug, PartialEq)]
pub(super) struct Template {
    pub segments: Vec<Segment>,
    pub variables: Vec<Variable>,
    pub verb: Option<String>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Segment {
    Literal(String),
    /// `*`: one segment, which is not empty.
    One,
    /// `**`: any number of segments, none too. There is one in a template.
    Rest,
}

/// The segments that are the value of a field.
#[derive(Debug, PartialEq)]
pub(super) struct Variable {
    pub path: String,
    start: Boundary,
    end: Boundary,
    /// Its pattern is `*`.
    one: bool,
}

/// A place between segments: before `**` it is counted from the start of a path, after it from the end.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Boundary {
    FromStart(usize),
    FromEnd(usize),
}

impl Template {
    pub fn parse(source: &str) -> Result<Self, String> {
        let mut parser =
            Parser { rest: source, template: Self { segments: vec![], variables: vec![], verb: None } };
        if !parser.take('/') {
            return Err(format!("{source:?} does not begin with a slash"));
        }
        parser.segments(true).and_then(|()| parser.verb()).map_err(|error| format!("{source:?}: {error}"))?;
        let mut template = parser.template;
        let count = template.segments.len();
        let rest = template.segments.iter().position(|segment| *segment == Segment::Rest);
        for variable in &mut template.variables {
            for boundary in [&mut variable.start, &mut variable.end] {
                if let Boundary::FromStart(at) = *boundary
                    && rest.is_some_and(|rest| at > rest)
                {
                    *boundary = Boundary::FromEnd(count - at);
                }
            }
        }
        Ok(template)
    }
}

impl Segment {
    /// Whether one segment of a path, without its escapes, is one of these.
    pub fn takes(&self, segment: &str) -> bool {
        match self {
            Self::Literal(text) => text == segment,
            Self::One => !segment.is_empty(),
            Self::Rest => true,
        }
    }
}

struct Parser<'s> {
    rest: &'s str,
    template: Template,
}

impl Parser<'_> {
    fn take(&mut self, expected: char) -> bool {
        let rest = self.rest.strip_prefix(expected);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Segments with slashes between them. Variables do not nest.
    fn segments(&mut self, variables: bool) -> Result<(), String> {
        // The root.
        if self.rest.is_empty() && self.template.segments.is_empty() {
            return Ok(());
        }
        loop {
            if variables && self.take('{') {
                self.variable()?;
            } else {
                let segment = self.segment()?;
                self.template.segments.push(segment);
            }
            if !self.take('/') {
                return Ok(());
            }
        }
    }

    fn segment(&mut self) -> Result<Segment, String> {
        if self.take('*') {
            if !self.take('*') {
                return Ok(Segment::One);
            }
            if self.template.segments.contains(&Segment::Rest) {
                return Err("`**` stands twice".into());
            }
            return Ok(Segment::Rest);
        }
        let literal = self.literal()?;
        let decoded = percent_decode_str(literal).decode_utf8();
        Ok(Segment::Literal(decoded.map_err(|_| format!("{literal:?} is not UTF-8"))?.into_owned()))
    }

    fn literal(&mut self) -> Result<&str, String> {
        let end = self.rest.find(['/', ':', '{', '}', '*', '=']).unwrap_or(self.rest.len());
        let (literal, rest) = self.rest.split_at(end);
        if literal.is_empty() {
            return Err(match rest.chars().next() {
                Some(found) => format!("a segment was expected, and not `{found}`"),
                None => "a segment was expected at the end".into(),
            });
        }
        self.rest = rest;
        Ok(literal)
    }

    /// After the brace: `name}` or `name=segments}`.
    fn variable(&mut self) -> Result<(), String> {
        let path = self.literal()?.to_owned();
        let start = self.template.segments.len();
        if self.take('=') {
            self.segments(false)?;
        } else {
            self.template.segments.push(Segment::One);
        }
        if !self.take('}') {
            return Err(format!("the variable `{path}` has no end"));
        }
        let found = &self.template.segments[start..];
        let (start, end) = (Boundary::FromStart(start), Boundary::FromStart(start + found.len()));
        let one = found == [Segment::One];
        if self.template.variables.iter().any(|variable| variable.path == path) {
            return Err(format!("`{path}` stands twice"));
        }
        self.template.variables.push(Variable { path, start, end, one });
        Ok(())
    }

    fn verb(&mut self) -> Result<(), String> {
        if self.take(':') {
            self.template.verb = Some(self.literal()?.to_owned());
        }
        match self.rest.chars().next() {
            None => Ok(()),
            Some(found) => Err(format!("the end was expected, and not `{found}`")),
        }
    }
}

impl Variable {
    /// The value, out of the segments of a path as they came. `None` if it is not UTF-8.
    pub fn value(&self, segments: &[&str]) -> Option<String> {
        let place = |boundary| match boundary {
            Boundary::FromStart(at) => Some(at),
            Boundary::FromEnd(at) => segments.len().checked_sub(at),
        };
        let found = segments.get(place(self.start)?..place(self.end)?)?;
        let decoded: Option<Vec<_>> = found.iter().map(|segment| decode(segment, self.one)).collect();
        Some(decoded?.join("/"))
    }
}

/// Without the escapes. A slash that is escaped stays so where slashes divide a value.
fn decode(segment: &str, slashes: bool) -> Option<String> {
    let decode = |text| percent_decode_str(text).decode_utf8().ok();
    let (mut decoded, mut rest) = (String::new(), segment);
    let slash = |text: &str| text.as_bytes().windows(3).position(|found| found.eq_ignore_ascii_case(b"%2f"));
    while let Some(at) = slash(rest).filter(|_| !slashes) {
        decoded.push_str(&decode(&rest[..at])?);
        decoded.push_str(&rest[at..at + 3]);
        rest = &rest[at + 3..];
    }
    decoded.push_str(&decode(rest)?);
    Some(decoded)
}

#[cfg(test)]
mod tests {
    use super::Boundary::{FromEnd, FromStart};
    use super::*;

    fn literal(text: &str) -> Segment {
        Segment::Literal(text.into())
    }

    #[test]
    fn templates_are_read() {
        let found = Template::parse("/v1/{name=shelves/*/books/*}:publish").unwrap();
        let segments = [literal("v1"), literal("shelves"), Segment::One, literal("books"), Segment::One];
        assert_eq!(found.segments, segments);
        assert_eq!(
            found.variables,
            [Variable { path: "name".into(), start: FromStart(1), end: FromStart(5), one: false }]
        );
        assert_eq!(found.verb.as_deref(), Some("publish"));
        let found = Template::parse("/v1/{a.b}/*/{c=x/**}").unwrap();
        let segments = [literal("v1"), Segment::One, Segment::One, literal("x"), Segment::Rest];
        assert_eq!(found.segments, segments);
        let variables = [
            Variable { path: "a.b".into(), start: FromStart(1), end: FromStart(2), one: true },
            Variable { path: "c".into(), start: FromStart(3), end: FromEnd(0), one: false },
        ];
        assert_eq!(found.variables, variables);
        assert_eq!(Template::parse("/").unwrap().segments, []);
    }

    #[test]
    fn what_is_no_template_says_why() {
        for (source, expected) in [
            ("", "does not begin with a slash"),
            ("v1", "does not begin with a slash"),
            ("/v1/", "at the end"),
            ("/v1//x", "and not `/`"),
            ("/{a", "`a` has no end"),
            ("/{a=b/{c}}", "and not `{`"),
            ("/{}", "and not `}`"),
            ("/**/a/**", "stands twice"),
            ("/{a=**}/{b=**}", "stands twice"),
            ("/a:b/c", "and not `/`"),
            ("/a:", "at the end"),
            ("/{a}/{a}", "twice"),
            ("/***", "and not `*`"),
            ("/%ff", "not UTF-8"),
        ] {
            let error = Template::parse(source).unwrap_err();
            assert!(error.contains(expected), "{source}: {error}");
        }
    }

    #[test]
    fn values_are_decoded_as_their_patterns_say() {
        let value = |template: &str, path: &str| {
            let segments: Vec<_> = path.split('/').collect();
            Template::parse(template).unwrap().variables[0].value(&segments)
        };
        assert_eq!(value("/{a}", "x%2Fy%20z").as_deref(), Some("x/y z"));
        assert_eq!(value("/{a=*/*}", "x%2fy%20z/%C3%A9").as_deref(), Some("x%2fy z/é"));
        assert_eq!(value("/{a=**}", "%2F%41/%2f%42").as_deref(), Some("%2FA/%2fB"));
        assert_eq!(value("/a/{b=**}", "a").as_deref(), Some(""));
        assert_eq!(value("/{a=x/**}/y/z", "x/1/2/y/z").as_deref(), Some("x/1/2"));
        assert_eq!(value("/{a=x/**}/y", "x/y").as_deref(), Some("x"));
        assert_eq!(value("/x/**/y/{a}", "x/1/2/y/%2f").as_deref(), Some("/"));
        assert_eq!(value("/{a}", "%ff"), None);
        assert_eq!(value("/{a=**}", "%2F%ff"), None);
        assert_eq!(value("/{a}", "%2").as_deref(), Some("%2"));
    }
}

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
    /// `**`: all that follow, if any. It is the last.
    Rest,
}

/// The segments that are the value of a field.
#[derive(Debug, PartialEq)]
pub(super) struct Variable {
    pub path: String,
    start: usize,
    /// `None` up to the end.
    end: Option<usize>,
    /// Its pattern is `*`.
    one: bool,
}

impl Template {
    pub fn parse(source: &str) -> Result<Self, String> {
        let mut parser =
            Parser { rest: source, template: Self { segments: vec![], variables: vec![], verb: None } };
        if !parser.take('/') {
            return Err(format!("{source:?} does not begin with a slash"));
        }
        parser.segments(true).and_then(|()| parser.verb()).map_err(|error| format!("{source:?}: {error}"))?;
        Ok(parser.template)
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
            if self.template.segments.last() == Some(&Segment::Rest) {
                return Err("`**` is not the last segment".into());
            }
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
            return Ok(if self.take('*') { Segment::Rest } else { Segment::One });
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
        let end = (found.last() != Some(&Segment::Rest)).then_some(start + found.len());
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
        let found = segments.get(self.start..self.end.unwrap_or(segments.len()))?;
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
    use super::*;

    fn literal(text: &str) -> Segment {
        Segment::Literal(text.into())
    }

    #[test]
    fn templates_are_read() {
        let found = Template::parse("/v1/{name=shelves/*/books/*}:publish").unwrap();
        let segments = [literal("v1"), literal("shelves"), Segment::One, literal("books"), Segment::One];
        assert_eq!(found.segments, segments);
        assert_eq!(found.variables, [Variable { path: "name".into(), start: 1, end: Some(5), one: false }]);
        assert_eq!(found.verb.as_deref(), Some("publish"));
        let found = Template::parse("/v1/{a.b}/*/{c=x/**}").unwrap();
        let segments = [literal("v1"), Segment::One, Segment::One, literal("x"), Segment::Rest];
        assert_eq!(found.segments, segments);
        let variables = [
            Variable { path: "a.b".into(), start: 1, end: Some(2), one: true },
            Variable { path: "c".into(), start: 3, end: None, one: false },
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
            ("/**/a", "not the last"),
            ("/{a=**}/{b}", "not the last"),
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
        assert_eq!(value("/{a}", "%ff"), None);
        assert_eq!(value("/{a=**}", "%2F%ff"), None);
        assert_eq!(value("/{a}", "%2").as_deref(), Some("%2"));
    }
}

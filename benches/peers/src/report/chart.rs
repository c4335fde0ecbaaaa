//! Pictures: bars and lines, in panels side by side, on a ground of their own, so that they can be read on light and on dark pages.

use plotters::coord::ranged1d::{KeyPointHint, Ranged};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::error::Error;
use std::ops::Range;
use std::path::Path;

const GROUND: RGBColor = RGBColor(250, 250, 247);
const INK: RGBColor = RGBColor(45, 45, 50);
const GRID: RGBColor = RGBColor(205, 205, 200);

/// A contender has one colour in all pictures.
pub fn colour(name: &str) -> RGBColor {
    match name {
        "tablepb Decoder" | "tablepb decoder" | "tablepb" | "protobuf" | "record" => RGBColor(20, 90, 160),
        "tablepb DynamicMessage" | "tablepb dynamic" | "decode, encode" => RGBColor(70, 150, 220),
        "tablepb struct" | "tablepb typed" => RGBColor(30, 140, 90),
        "tablepb borrowed" | "record, five columns" => RGBColor(130, 195, 120),
        "best rival" | "buffa" | "ptars" | "prost, companion messages" | "JSON" => RGBColor(235, 140, 30),
        "prost" | "prost by hand" => RGBColor(120, 115, 115),
        "serde_json" => RGBColor(200, 60, 50),
        "sonic-rs" | "prost-reflect" | "arrow-avro" => RGBColor(190, 80, 130),
        _ => RGBColor(160, 160, 190),
    }
}

/// What the values of an axis are.
#[derive(Clone, Copy)]
pub enum Axis {
    /// How many times as fast as what, on a logarithmic axis from one to another number; bars begin at 1.
    Times(&'static str, f64, f64),
    /// A quantity of this unit, from 0 on.
    Amount(&'static str),
    /// The same on a logarithmic axis, which does not go below 0.2.
    Log(&'static str),
}

/// Values of one contender; of bars, one for each group, or none.
pub struct Series {
    pub name: String,
    pub values: Vec<Option<f64>>,
}

/// A chart among others.
pub struct Panel {
    pub title: String,
    /// Of bars: what each group of them is about.
    pub groups: Vec<String>,
    pub series: Vec<Series>,
}

/// Horizontal bars in groups, one panel beside the other.
pub struct Bars {
    pub title: &'static str,
    pub axis: Axis,
    pub panels: Vec<Panel>,
    /// Width of the names of groups.
    pub names: u32,
    /// Whether each group has one bar, of one of the series.
    pub single: bool,
}

const WIDTH: u32 = 940;
/// The height of a bar.
const BAR: u32 = 7;

impl Bars {
    pub fn draw(&self, path: &Path) -> Result<(), Box<dyn Error>> {
        let rows = self.panels.iter().map(|panel| panel.groups.len() * self.places(panel)).max();
        let bar = if self.single { 10 } else { BAR };
        let height = 135 + rows.unwrap_or_default() as u32 * bar;
        let names: Vec<&str> =
            crate::data::distinct(self.panels.iter().flat_map(|panel| &panel.series).map(|s| &*s.name));
        let root = ground(path, height, self.title, &names)?;
        let areas = root.margin(62, 4, 4, 8).split_evenly((1, self.panels.len()));
        for (area, panel) in areas.iter().zip(&self.panels) {
            self.panel(area, panel)?;
        }
        Ok(root.present()?)
    }

    /// How many bars there is room for in a group, and the space between groups.
    fn places(&self, panel: &Panel) -> usize {
        if self.single { 2 } else { panel.series.len() + 1 }
    }

    fn panel(
        &self,
        area: &DrawingArea<SVGBackend<'_>, plotters::coord::Shift>,
        panel: &Panel,
    ) -> Result<(), Box<dyn Error>> {
        let all = || panel.series.iter().flat_map(|series| series.values.iter().flatten());
        let most = all().copied().fold(0.0, f64::max);
        let (range, begin) = match self.axis {
            Axis::Times(_, low, high) => (low..high, 1.0),
            Axis::Amount(_) => (0.0..most * 1.12, 0.0),
            Axis::Log(_) => {
                let least = all().copied().fold(f64::INFINITY, f64::min).max(0.4) / 2.0;
                (least..most * 2.0, least)
            }
        };
        let count = panel.groups.len() as f64;
        let mut builder = ChartBuilder::on(area);
        builder
            .caption(&panel.title, ("sans-serif", 14).into_font().color(&INK))
            .margin_right(14)
            .set_label_area_size(LabelAreaPosition::Left, self.names)
            .set_label_area_size(LabelAreaPosition::Bottom, 38);
        match self.axis {
            Axis::Amount(_) => {
                let linear: RangedCoordf64 = range.clone().into();
                self.fill(builder.build_cartesian_2d(linear, 0.0..count)?, panel, range, begin)
            }
            Axis::Times(..) => {
                let log = Powers { range: range.clone(), base: 2.0 };
                self.fill(builder.build_cartesian_2d(log, 0.0..count)?, panel, range, begin)
            }
            Axis::Log(_) => {
                let log = Powers { range: range.clone(), base: 10.0 };
                self.fill(builder.build_cartesian_2d(log, 0.0..count)?, panel, range, begin)
            }
        }
    }

    fn fill<X>(
        &self,
        mut chart: ChartContext<'_, SVGBackend<'_>, Cartesian2d<X, RangedCoordf64>>,
        panel: &Panel,
        range: Range<f64>,
        begin: f64,
    ) -> Result<(), Box<dyn Error>>
    where
        X: Ranged<ValueType = f64> + plotters::coord::ranged1d::ValueFormatter<f64>,
    {
        let (unit, times) = match self.axis {
            Axis::Times(unit, ..) => (unit, true),
            Axis::Amount(unit) | Axis::Log(unit) => (unit, false),
        };
        chart
            .configure_mesh()
            .disable_y_mesh()
            .y_labels(0)
            .x_labels(6)
            .x_label_formatter(&|value| if times { format!("{value}x") } else { short(*value) })
            .x_desc(unit)
            .axis_style(GRID)
            .bold_line_style(GRID)
            .light_line_style(TRANSPARENT)
            .label_style(("sans-serif", 11).into_font().color(&INK))
            .draw()?;
        let name = ("sans-serif", 11).into_font().color(&INK).pos(Pos::new(HPos::Right, VPos::Center));
        let value = ("sans-serif", 9).into_font().color(&INK).pos(Pos::new(HPos::Left, VPos::Center));
        let part = 1.0 / self.places(panel) as f64;
        let count = panel.groups.len() as f64;
        for (group, label) in panel.groups.iter().enumerate() {
            let top = count - group as f64 - part / 2.0;
            let middle = count - group as f64 - 0.5;
            chart.draw_series([
                EmptyElement::at((range.start, middle)) + Text::new(label.clone(), (-6, 0), name.clone())
            ])?;
            for (at, series) in panel.series.iter().enumerate() {
                let Some(amount) = series.values[group] else { continue };
                let at = if self.single { 0 } else { at };
                let (upper, lower) = (top - part * at as f64, top - part * (at + 1) as f64);
                let end = amount.clamp(range.start, range.end);
                let fill = colour(&series.name).filled();
                chart.draw_series([Rectangle::new([(begin, lower), (end, upper)], fill)])?;
                if !times {
                    let place = (end, (upper + lower) / 2.0);
                    chart.draw_series([
                        EmptyElement::at(place) + Text::new(short(amount), (4, 0), value.clone())
                    ])?;
                }
            }
        }
        if times {
            chart.draw_series([PathElement::new([(1.0, 0.0), (1.0, count)], INK)])?;
        }
        Ok(())
    }
}

/// Lines through points.
pub struct Lines {
    pub title: &'static str,
    pub panels: Vec<Plot>,
    /// How many panels are side by side.
    pub columns: usize,
}

/// Lines on logarithmic axes.
pub struct Plot {
    pub title: String,
    pub x: &'static str,
    pub y: &'static str,
    /// The names of places on the x axis, which are 0, 1, 2 then; without names they are numbers.
    pub places: Vec<String>,
    pub lines: Vec<(String, Vec<(f64, f64)>)>,
}

impl Lines {
    pub fn draw(&self, path: &Path) -> Result<(), Box<dyn Error>> {
        let rows = self.panels.len().div_ceil(self.columns);
        let names: Vec<&str> =
            crate::data::distinct(self.panels.iter().flat_map(|plot| &plot.lines).map(|(name, _)| &**name));
        let root = ground(path, 70 + 250 * rows as u32, self.title, &names)?;
        let areas = root.margin(62, 4, 4, 8).split_evenly((rows, self.columns));
        for (area, plot) in areas.iter().zip(&self.panels) {
            plot.draw(area)?;
        }
        Ok(root.present()?)
    }
}

impl Plot {
    fn draw(&self, area: &DrawingArea<SVGBackend<'_>, plotters::coord::Shift>) -> Result<(), Box<dyn Error>> {
        let points = || self.lines.iter().flat_map(|(_, points)| points);
        let span = |of: fn(&(f64, f64)) -> f64| {
            let low = points().map(of).fold(f64::INFINITY, f64::min);
            low..points().map(of).fold(0.0, f64::max)
        };
        let (x, y) = (span(|point| point.0), span(|point| point.1));
        let y = Powers { range: y.start / 1.5..y.end * 1.5, base: 10.0 };
        let mut builder = ChartBuilder::on(area);
        builder
            .caption(&self.title, ("sans-serif", 14).into_font().color(&INK))
            .margin_right(16)
            .set_label_area_size(LabelAreaPosition::Left, 56)
            .set_label_area_size(LabelAreaPosition::Bottom, 38);
        if self.places.is_empty() {
            let x = Powers { range: x.start / 1.2..x.end * 1.2, base: 10.0 };
            self.fill(builder.build_cartesian_2d(x, y)?, &|value| short(*value))
        } else {
            let x: RangedCoordf64 = (-0.2..self.places.len() as f64 - 0.8).into();
            let place = |value: &f64| {
                let whole = (value - value.round()).abs() < 1e-6;
                self.places.get(value.round() as usize).filter(|_| whole).cloned().unwrap_or_default()
            };
            self.fill(builder.build_cartesian_2d(x, y)?, &place)
        }
    }

    fn fill<X>(
        &self,
        mut chart: ChartContext<'_, SVGBackend<'_>, Cartesian2d<X, Powers>>,
        format: &dyn Fn(&f64) -> String,
    ) -> Result<(), Box<dyn Error>>
    where
        X: Ranged<ValueType = f64> + plotters::coord::ranged1d::ValueFormatter<f64>,
    {
        chart
            .configure_mesh()
            .x_labels(self.places.len().max(6))
            .x_label_formatter(&format)
            .y_label_formatter(&|value| short(*value))
            .x_desc(self.x)
            .y_desc(self.y)
            .axis_style(GRID)
            .bold_line_style(GRID)
            .light_line_style(TRANSPARENT)
            .label_style(("sans-serif", 11).into_font().color(&INK))
            .draw()?;
        for (name, points) in &self.lines {
            let colour = colour(name);
            chart.draw_series(LineSeries::new(points.iter().copied(), colour.stroke_width(2)))?;
            chart.draw_series(points.iter().map(|&point| Circle::new(point, 2, colour.filled())))?;
        }
        Ok(())
    }
}

/// A picture with its ground, title and the colours of names.
fn ground<'p>(
    path: &'p Path,
    height: u32,
    title: &str,
    names: &[&str],
) -> Result<DrawingArea<SVGBackend<'p>, plotters::coord::Shift>, Box<dyn Error>> {
    let root = SVGBackend::new(path, (WIDTH, height)).into_drawing_area();
    root.fill(&GROUND)?;
    root.draw(&Text::new(title.to_owned(), (14, 12), ("sans-serif", 17).into_font().color(&INK)))?;
    let mut at = 14;
    for name in names {
        root.draw(&Rectangle::new([(at, 42), (at + 12, 52)], colour(name).filled()))?;
        let text = ("sans-serif", 12).into_font().color(&INK);
        root.draw(&Text::new((*name).to_owned(), (at + 17, 41), text))?;
        at += 34 + (name.len() as f64 * 6.6) as i32;
    }
    Ok(root)
}

/// A number in few characters.
pub fn short(value: f64) -> String {
    match value {
        0.0 => "0".into(),
        v if v >= 1e6 => format!("{}M", trimmed(v / 1e6)),
        v if v >= 1e4 => format!("{}k", trimmed(v / 1e3)),
        v => trimmed(v),
    }
}

fn trimmed(value: f64) -> String {
    let digits = match value {
        v if v >= 100.0 => 0,
        v if v >= 10.0 => 1,
        _ => 2,
    };
    let text = format!("{value:.digits$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    text.to_owned()
}

/// A logarithmic axis with marks at powers of a base, which plotters' own has at other places where the range is short.
struct Powers {
    range: Range<f64>,
    base: f64,
}

impl Ranged for Powers {
    type FormatOption = plotters::coord::ranged1d::DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        let part = (value / self.range.start).ln() / (self.range.end / self.range.start).ln();
        limit.0 + (part * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        let first = (self.range.start.ln() / self.base.ln()).floor() as i32;
        let powers = || (first..first + 60).map(|power| self.base.powi(power));
        let inside = |mark: &f64| (self.range.start / 1.000_001..=self.range.end * 1.000_001).contains(mark);
        let marks: Vec<f64> = powers().filter(inside).collect();
        match marks.len() {
            // Powers alone are too few.
            0..=2 => powers().flat_map(|mark| [mark, 2.0 * mark, 5.0 * mark]).filter(inside).collect(),
            _ => marks,
        }
    }

    fn range(&self) -> Range<f64> {
        self.range.clone()
    }
}

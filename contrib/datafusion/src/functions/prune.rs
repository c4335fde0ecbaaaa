//! [`Prune`]: only the fields of a decoded message that a part of a plan takes are decoded.
//!
//! ```text
//! protobuf_decode(c, 'T')['a']['b'], protobuf_decode(c, 'T')['d']
//!     -> protobuf_decode(c, 'T', 'a.b', 'd')['a']['b'], protobuf_decode(c, 'T', 'a.b', 'd')['d']
//! ```
//!
//! All calls of one node that decode the same get the same paths, so that they stay one subexpression. A call whose value some expression of the node uses as a whole
//! keeps all fields.

use super::Function;
use super::convert::Convert;
use datafusion::common::ScalarValue;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::error::Result;
use datafusion::logical_expr::expr::ScalarFunction;
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::{Expr, LogicalPlan, lit};
use datafusion::optimizer::AnalyzerRule;
use std::collections::{BTreeSet, HashMap};
use tablepb::MessageDescriptor;

/// The rule.
#[derive(Debug)]
pub(super) struct Prune;

/// The paths that are taken of each call; `None` if it is used as a whole.
type Taken = HashMap<Expr, Option<BTreeSet<String>>>;

impl AnalyzerRule for Prune {
    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        Ok(plan.transform_up_with_subqueries(prune)?.data)
    }

    fn name(&self) -> &str {
        "protobuf_decode_pruning"
    }
}

fn prune(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    let mut taken = Taken::new();
    plan.apply_expressions(|expression| collect(expression, &mut taken))?;
    taken.retain(|_, paths| paths.as_ref().is_some_and(|paths| !paths.is_empty()));
    if taken.is_empty() {
        return Ok(Transformed::no(plan));
    }
    let names = NamePreserver::new(&plan);
    let pruned = plan.map_expressions(|expression| {
        let name = names.save(&expression);
        let rewritten = expression.transform_up(|expression| Ok(with_paths(expression, &taken)))?;
        Ok(rewritten.update_data(|expression| name.restore(expression)))
    })?;
    if pruned.transformed { pruned.map_data(LogicalPlan::recompute_schema) } else { Ok(pruned) }
}

/// Notes what an expression takes of the calls in it.
fn collect(expression: &Expr, taken: &mut Taken) -> Result<TreeNodeRecursion> {
    expression.apply(|expression| {
        let mut names = Vec::new();
        let mut inner = expression;
        // The names from the outermost to the innermost, which may be several in one call.
        while let Some((value, fields)) = get_field(inner) {
            names.extend(fields.into_iter().rev());
            inner = value;
        }
        let Some(message) = decoded(inner) else { return Ok(TreeNodeRecursion::Continue) };
        names.reverse();
        match (path(&message, &names), taken.entry(inner.clone()).or_insert_with(|| Some(BTreeSet::new()))) {
            (Some(path), Some(paths)) => _ = paths.insert(path),
            (_, paths) => *paths = None,
        }
        // The value may have calls in it. What is below a chain of names is not looked at as if it stood alone.
        if let Expr::ScalarFunction(call) = inner
            && let Some(value) = call.args.first()
        {
            collect(value, taken)?;
        }
        Ok(TreeNodeRecursion::Jump)
    })
}

/// The value and the names of a call of `get_field`.
fn get_field(expression: &Expr) -> Option<(&Expr, Vec<&str>)> {
    let Expr::ScalarFunction(ScalarFunction { func, args }) = expression else { return None };
    let (value, names) =
        args.split_first().filter(|(_, names)| func.name() == "get_field" && !names.is_empty())?;
    Some((value, names.iter().map(text).collect::<Option<_>>()?))
}

/// A literal string.
fn text(expression: &Expr) -> Option<&str> {
    let Expr::Literal(value, _) = expression else { return None };
    value.try_as_str().flatten()
}

/// The message type of a call that decodes all fields.
fn decoded(expression: &Expr) -> Option<MessageDescriptor> {
    let Expr::ScalarFunction(ScalarFunction { func, args }) = expression else { return None };
    let function = (func.inner().as_ref() as &dyn std::any::Any).downcast_ref::<Function>()?;
    let [_, full_name] = &args[..] else { return None };
    let message = function.shared.pool.message(text(full_name)?).ok()?;
    (function.convert == Convert::Decode).then_some(message)
}

/// The path of the fields that these names lead to. It ends at a list, a map or a value. `None` if the first name is not a field.
fn path(message: &MessageDescriptor, names: &[&str]) -> Option<String> {
    let (mut path, mut inside) = (String::new(), Some(message.clone()));
    for name in names {
        let Some(field) = inside.and_then(|message| message.field(name).ok()) else { break };
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(field.name());
        let singular = !field.is_list() && !field.is_map();
        inside = field.kind().as_message().cloned().filter(|_| singular);
    }
    Some(path).filter(|path| !path.is_empty())
}

/// A call with its paths, without those that others contain.
fn with_paths(expression: Expr, taken: &Taken) -> Transformed<Expr> {
    let Some(Some(paths)) = taken.get(&expression) else { return Transformed::no(expression) };
    let Expr::ScalarFunction(mut call) = expression else { return Transformed::no(expression) };
    let is_part = |path: &str| {
        paths.iter().any(|other| path.strip_prefix(other.as_str()).is_some_and(|rest| rest.starts_with('.')))
    };
    let kept = paths.iter().filter(|path| !is_part(path));
    call.args.extend(kept.map(|path| lit(ScalarValue::from(path.as_str()))));
    Transformed::yes(Expr::ScalarFunction(call))
}

//! Which fields a query needs: [`paths`].

use datafusion::arrow::datatypes::{DataType, Schema};
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::error::Result;
use datafusion::physical_expr::expressions::{Column, Literal};
use datafusion::physical_expr::projection::ProjectionExprs;
use datafusion::physical_expr::{PhysicalExpr, ScalarFunctionExpr};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The paths of the fields that some expressions need of a file, for [`tablepb_arrow::ReaderBuilder::projection`]: `a.b` where only `a['b']` is used.
///
/// `fields` are the paths that the table has, if not all.
pub(crate) fn paths(
    expressions: &ProjectionExprs,
    schema: &Schema,
    fields: &[String],
) -> Result<Vec<String>> {
    let mut wanted = BTreeSet::new();
    for projected in expressions.iter() {
        projected.expr.apply(|expression| {
            if let Some(path) = struct_path(expression, schema) {
                wanted.insert(path);
                return Ok(TreeNodeRecursion::Jump);
            }
            // Columns after those of the file are values of the directory.
            if let Some(column) = expression.downcast_ref::<Column>()
                && let Some(field) = schema.fields().get(column.index())
            {
                wanted.insert(field.name().clone());
            }
            Ok(TreeNodeRecursion::Continue)
        })?;
    }
    let outermost: Vec<_> = wanted
        .iter()
        .filter(|path| !wanted.iter().any(|other| other != *path && is_in(path, other)))
        .collect();
    if fields.is_empty() {
        return Ok(outermost.into_iter().cloned().collect());
    }
    let mut both = BTreeSet::new();
    for path in outermost {
        both.extend(fields.iter().filter(|field| is_in(field, path)).cloned());
        if fields.iter().any(|field| is_in(path, field)) {
            both.insert(path.clone());
        }
    }
    Ok(both.into_iter().collect())
}

/// The path of `a['b']['c']`, if all but the last are structs.
fn struct_path(expression: &Arc<dyn PhysicalExpr>, schema: &Schema) -> Option<String> {
    let function =
        expression.downcast_ref::<ScalarFunctionExpr>().filter(|function| function.name() == "get_field")?;
    let (column, names) = function.args().split_first()?;
    let field = schema.fields().get(column.downcast_ref::<Column>()?.index())?;
    let (mut path, mut data_type) = (field.name().clone(), field.data_type());
    for name in names {
        let name = name.downcast_ref::<Literal>()?.value().try_as_str()??;
        let DataType::Struct(members) = data_type else { return None };
        data_type = members.iter().find(|member| member.name() == name)?.data_type();
        path = format!("{path}.{name}");
    }
    Some(path)
}

/// Whether a path is another one, or goes on after it. Everything is in `*`.
fn is_in(path: &str, outer: &str) -> bool {
    if outer == "*" {
        return true;
    }
    let outer = outer.strip_suffix(".*").unwrap_or(outer);
    path.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::is_in;

    #[test]
    fn a_path_is_in_another_one_at_a_dot() {
        assert!(is_in("a", "a") && is_in("a.b", "a") && is_in("a.b.c", "a.b") && is_in("a.b", "a.*"));
        assert!(is_in("a", "*") && is_in("a.b", "*") && !is_in("*", "a"));
        assert!(!is_in("ab", "a") && !is_in("a", "a.b") && !is_in("a.bc", "a.b"));
    }
}

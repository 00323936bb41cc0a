//! The where-clause: comparisons of a column with values, joined by `and`, `or` and `not`.

use pellucid_inference::views::selection::{ComparisonOperator, RowSelection};
use pellucid_model::error::{Error, Result};
use sqlparser::ast::{
    BinaryOperator, DataType, Expr, Ident, Spanned, TypedString, UnaryOperator, Value, ValueWithSpan,
};

use super::{Names, refused};

/// What comparisons may be.
const REMEDY: &str = "compare a column with values by `=`, `<>`, `<`, `<=`, `>`, `>=`, `between`, `in` or `is null`, joined by `and`, `or`, `not`";

/// The condition that `expression` is.
pub(super) fn read(expression: &Expr, names: &Names<'_>) -> Result<RowSelection> {
    match expression {
        Expr::Nested(inner) => read(inner, names),
        Expr::Value(ValueWithSpan { value: Value::Boolean(truth), .. }) => {
            Ok(if *truth { RowSelection::All } else { !RowSelection::All })
        }
        Expr::UnaryOp { op: UnaryOperator::Not, expr } => Ok(!read(expr, names)?),
        Expr::IsNull(cell) => Ok(RowSelection::missing(column(cell, names)?)),
        Expr::IsNotNull(cell) => Ok(!RowSelection::missing(column(cell, names)?)),
        Expr::Between { expr, negated, low, high } => {
            let between = RowSelection::between(column(expr, names)?, value(low)?, value(high)?);
            Ok(if *negated { !between } else { between })
        }
        Expr::InList { expr, list, negated } => {
            let values = list.iter().map(value).collect::<Result<Vec<String>>>()?;
            let listed = RowSelection::one_of(column(expr, names)?, values);
            Ok(if *negated { !listed } else { listed })
        }
        Expr::BinaryOp { op: BinaryOperator::And, .. } => {
            let parts = chain(expression, &BinaryOperator::And).into_iter();
            Ok(RowSelection::And(parts.map(|part| read(part, names)).collect::<Result<_>>()?))
        }
        Expr::BinaryOp { op: BinaryOperator::Or, .. } => {
            let parts = chain(expression, &BinaryOperator::Or).into_iter();
            Ok(RowSelection::Or(parts.map(|part| read(part, names)).collect::<Result<_>>()?))
        }
        Expr::BinaryOp { left, op, right } => match comparison(op) {
            Some(comparison) => compare(left, comparison, right, names),
            None => Err(not_understood(expression)),
        },
        other if name_of(other).is_some() => Err(refused(
            "a column that is compared with nothing",
            other.span().start,
            "compare it with a value, such as `= 'true'`",
        )),
        other => Err(not_understood(other)),
    }
}

/// The expressions that `op` joins from left to right.
fn chain<'a>(expression: &'a Expr, op: &BinaryOperator) -> Vec<&'a Expr> {
    let mut parts = Vec::new();
    let mut rest = expression;
    while let Expr::BinaryOp { left, op: found, right } = rest
        && found == op
    {
        parts.push(right.as_ref());
        rest = left;
    }
    parts.push(rest);
    parts.reverse();
    parts
}

fn comparison(op: &BinaryOperator) -> Option<ComparisonOperator> {
    Some(match op {
        BinaryOperator::Eq => ComparisonOperator::Equal,
        BinaryOperator::NotEq => ComparisonOperator::Unequal,
        BinaryOperator::Lt => ComparisonOperator::Less,
        BinaryOperator::LtEq => ComparisonOperator::AtMost,
        BinaryOperator::Gt => ComparisonOperator::Greater,
        BinaryOperator::GtEq => ComparisonOperator::AtLeast,
        _ => return None,
    })
}

/// A comparison with the column on either side.
fn compare(left: &Expr, comparison: ComparisonOperator, right: &Expr, names: &Names<'_>) -> Result<RowSelection> {
    match (name_of(left), name_of(right)) {
        (Some(_), Some(_)) => Err(refused(
            "a comparison of two names",
            right.span().start,
            "compare a column with a value, and write text in single quotes",
        )),
        (Some(name), None) => Ok(RowSelection::compare(names.column(name)?, comparison, value(right)?)),
        (None, Some(name)) => Ok(RowSelection::compare(names.column(name)?, comparison.turned(), value(left)?)),
        (None, None) => {
            value(left)?;
            value(right)?;
            Err(refused("a comparison without a column", left.span().start, "put a column on one side"))
        }
    }
}

/// The parts of a name, in parentheses or not.
pub(super) fn name_of(expression: &Expr) -> Option<&[Ident]> {
    match expression {
        Expr::Identifier(name) => Some(std::slice::from_ref(name)),
        Expr::CompoundIdentifier(parts) => Some(parts),
        Expr::Nested(inner) => name_of(inner),
        _ => None,
    }
}

fn column(expression: &Expr, names: &Names<'_>) -> Result<String> {
    match name_of(expression) {
        Some(name) => names.column(name),
        None if matches!(expression, Expr::Value(_)) => {
            Err(refused("a value in the place of a column", expression.span().start, "put the column first"))
        }
        None => Err(not_understood(expression)),
    }
}

/// A value as text: a number, text in single quotes, a truth value or a date.
fn value(expression: &Expr) -> Result<String> {
    match expression {
        Expr::Nested(inner) => value(inner),
        Expr::Value(ValueWithSpan { value: literal, span }) => match literal {
            Value::Number(text, _) | Value::SingleQuotedString(text) => Ok(text.clone()),
            Value::Boolean(truth) => Ok(truth.to_string()),
            Value::Null => Err(refused("a comparison with `null`", span.start, "write `is null` or `is not null`")),
            Value::Placeholder(_) => Err(refused("a parameter", span.start, "write the value in its place")),
            _ => Err(refused(
                "a literal of a kind that it does not know",
                span.start,
                "write a number or text in single quotes",
            )),
        },
        Expr::UnaryOp { op: op @ (UnaryOperator::Minus | UnaryOperator::Plus), expr } => match expr.as_ref() {
            Expr::Value(ValueWithSpan { value: Value::Number(text, _), .. }) => {
                Ok(if *op == UnaryOperator::Minus { format!("-{text}") } else { text.clone() })
            }
            _ => Err(not_understood(expression)),
        },
        Expr::TypedString(TypedString { data_type: DataType::Date, value, .. }) => match &value.value {
            Value::SingleQuotedString(text) => Ok(text.clone()),
            _ => Err(refused("a date that is no text", value.span.start, "write it as '2020-01-31'")),
        },
        other if name_of(other).is_some() => Err(refused(
            "a name in the place of a value",
            other.span().start,
            "write text in single quotes, and compare a column with values only",
        )),
        other => Err(not_understood(other)),
    }
}

/// That no view has such an expression.
fn not_understood(expression: &Expr) -> Error {
    refused(&kind_of(expression), expression.span().start, REMEDY)
}

/// What sort of expression this is, in words.
pub(super) fn kind_of(expression: &Expr) -> String {
    let kind = match expression {
        Expr::BinaryOp { op, .. } => {
            return format!("the operator `{op}` where a column or a value stands").to_lowercase();
        }
        Expr::UnaryOp { op, .. } => {
            return format!("the operator `{op}` where a column or a value stands").to_lowercase();
        }
        Expr::Like { .. } | Expr::ILike { .. } | Expr::SimilarTo { .. } | Expr::RLike { .. } => {
            "a pattern such as `like`"
        }
        Expr::Function(_)
        | Expr::Extract { .. }
        | Expr::Ceil { .. }
        | Expr::Floor { .. }
        | Expr::Position { .. }
        | Expr::Substring { .. }
        | Expr::Trim { .. }
        | Expr::Overlay { .. } => "a function",
        Expr::Subquery(_) | Expr::InSubquery { .. } | Expr::Exists { .. } | Expr::AnyOp { .. } | Expr::AllOp { .. } => {
            "a subquery"
        }
        Expr::Case { .. } => "`case`",
        Expr::Cast { .. } | Expr::Convert { .. } => "a cast",
        Expr::IsTrue(_) | Expr::IsNotTrue(_) | Expr::IsFalse(_) | Expr::IsNotFalse(_) => "`is true` or `is false`",
        Expr::IsUnknown(_) | Expr::IsNotUnknown(_) => "`is unknown`",
        Expr::IsDistinctFrom(..) | Expr::IsNotDistinctFrom(..) => "`is distinct from`",
        Expr::TypedString(_) => "a literal of a type other than `date`",
        Expr::Interval(_) => "an interval",
        Expr::Tuple(_) => "several values in parentheses",
        Expr::Value(_) => "a value alone",
        Expr::Nested(inner) => return kind_of(inner),
        _ => "an expression of a kind that it does not know",
    };
    kind.to_owned()
}

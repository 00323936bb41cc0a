//! The SQL of views: `select COLUMN from TABLE where CONDITION`.
//!
//! [`read_view`] takes the part of SQL that says whom a view selects and which sensitive column it shows, and refuses all else
//! by name. `condition.rs` reads the where-clause. No message repeats a value, for somebody may have it.

mod condition;
#[cfg(test)]
mod tests;

use std::fmt;

use pellucid_inference::views::selection::{RowSelection, sql_name};
use pellucid_model::error::{Error, ErrorKind, Result};
use pellucid_model::registry::did_you_mean;
use pellucid_model::table::{Column, Role, Table};
use sqlparser::ast::{
    Distinct, GroupByExpr, Ident, ObjectName, ObjectNamePart, Query, Select, SelectItem, SetExpr, Statement,
    TableAlias, TableFactor, TableWithJoins,
};
use sqlparser::dialect::Dialect;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Location, Token, TokenWithSpan, Tokenizer};

/// Most bytes of a statement.
const LONGEST: usize = 1 << 16;

/// Most names and signs of a statement, values and commas not counted: expressions are as deep as there are operators, and are
/// let go by recursion.
const MOST: usize = 1 << 12;

/// What every refusal of a statement as a whole asks for.
const FORM: &str = "write `select COLUMN from TABLE where CONDITION`";

/// What the SQL of a view asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SqlView {
    /// The table as it is called in the statement.
    pub table_name: String,
    /// The sensitive column that is shown, as the table has it.
    pub column: String,
    /// Whom it is shown of, with columns as the table has them.
    pub selection: RowSelection,
}

impl fmt::Display for SqlView {
    /// The statement in canonical form; [`read_view`] reads it as the same view.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "select {} from {}", sql_name(&self.column), sql_name(&self.table_name))?;
        match self.selection.to_string() {
            everybody if everybody == RowSelection::All.to_string() => Ok(()),
            condition => write!(f, " where {condition}"),
        }
    }
}

/// Reads the SQL of a view of `table`.
///
/// Unquoted names are matched exactly or else without regard to case, quoted ones exactly. A view of nobody is no error here.
///
/// # Errors
/// For SQL that cannot be read, with line and column; for all of SQL that is not a view of one sensitive column, by name; and
/// where [`RowSelection::check`] fails.
pub fn read_view(sql: &str, table: &Table) -> Result<SqlView> {
    let mut asked = read_views(sql, table)?;
    match (asked.pop(), asked.is_empty()) {
        (Some(only), true) => Ok(only),
        (None, _) => Err(Error::invalid(format!("the SQL of a view is empty; {FORM}"))),
        (Some(_), false) => Err(refused("several statements", Location::empty(), "ask for one view at a time")),
    }
}

/// Reads the SQL of any number of views of `table`, with semicolons between, as [`read_view`] reads that of one.
pub fn read_views(sql: &str, table: &Table) -> Result<Vec<SqlView>> {
    parsed(sql)?.iter().map(|statement| asked(statement, table)).collect()
}

fn asked(statement: &Statement, table: &Table) -> Result<SqlView> {
    let Statement::Query(query) = statement else {
        return Err(refused("a statement that is no select", Location::empty(), FORM));
    };
    let select = plain_select(query)?;
    let from = source(&select.from)?;
    let names = Names { table, from: [Some(&from.0), from.1.as_ref()] };
    let column = shown(&select.projection, &names)?;
    let selection = match &select.selection {
        Some(condition) => condition::read(condition, &names)?,
        None => RowSelection::All,
    };
    selection.check(table)?;
    Ok(SqlView { table_name: from.0.value, column, selection })
}

/// The statements in `sql`, which must not be too long.
fn parsed(sql: &str) -> Result<Vec<Statement>> {
    let too_long = |what: String| {
        let message =
            format!("the SQL of a view has more than {what}; write a shorter condition, such as `between` or `in`");
        Error::new(ErrorKind::LimitExceeded, message)
    };
    if sql.len() > LONGEST {
        return Err(too_long(format!("{LONGEST} bytes")));
    }
    let tokens = Tokenizer::new(&Words, sql).tokenize_with_location().map_err(|error| unreadable(&error.into()))?;
    let deepens = |token: &&TokenWithSpan| {
        !matches!(token.token, Token::Whitespace(_) | Token::Comma | Token::Number(..) | Token::SingleQuotedString(_))
    };
    if tokens.iter().filter(deepens).count() > MOST {
        return Err(too_long(format!("{MOST} names and signs")));
    }
    let mut parser = Parser::new(&Words).with_tokens_with_locations(tokens);
    parser.parse_statements().map_err(|error| unreadable(&error))
}

/// Standard SQL with letters of all languages in names.
#[derive(Debug)]
struct Words;

impl Dialect for Words {
    fn is_identifier_start(&self, one: char) -> bool {
        one.is_alphabetic() || one == '_'
    }

    fn is_identifier_part(&self, one: char) -> bool {
        one.is_alphanumeric() || one == '_'
    }
}

/// That the SQL has `what` at `place`, which no view has.
fn refused(what: &str, place: Location, remedy: &str) -> Error {
    let place = match place.line {
        0 => String::new(),
        line => format!(" at line {line}, column {}", place.column),
    };
    Error::invalid(format!("the SQL of a view has {what}{place}; {remedy}"))
}

/// What the parser could not read, and where; without what it found there.
fn unreadable(error: &ParserError) -> Error {
    let (message, fault) = match error {
        ParserError::RecursionLimitExceeded => {
            return refused(
                "too many parentheses or negations inside one another",
                Location::empty(),
                "write it flatter",
            );
        }
        ParserError::TokenizerError(message) => {
            (message, "a quote or comment is not closed, or a character has no place in SQL".to_owned())
        }
        ParserError::ParserError(message) => {
            let expected = message.strip_prefix("Expected: ").and_then(|rest| rest.split_once(", found: "));
            (
                message,
                expected.map_or_else(|| "it is no SQL".to_owned(), |(expected, _)| format!("expected {expected}")),
            )
        }
    };
    let place = message.rsplit_once(" at Line: ").and_then(|(_, place)| {
        let (line, column) = place.split_once(", Column: ")?;
        Some((line.parse::<u64>().ok()?, column.parse::<u64>().ok()?))
    });
    let place = place.map_or_else(|| "its end".to_owned(), |(line, column)| format!("line {line}, column {column}"));
    Error::invalid(format!("the SQL of a view cannot be read at {place}: {fault}; {FORM}"))
}

/// The first of `parts` that is there, refused.
fn refuse_all(parts: &[(&str, bool)], remedy: &str) -> Result<()> {
    match parts.iter().find(|(_, there)| *there) {
        Some((part, _)) => Err(refused(part, Location::empty(), remedy)),
        None => Ok(()),
    }
}

/// The select of a query that is nothing else.
fn plain_select(query: &Query) -> Result<&Select> {
    const REMEDY: &str = "leave it out, a view is a multiset without order";
    let Query { with, body, order_by, limit_clause, fetch, locks, for_clause, settings, format_clause, pipe_operators } =
        query;
    let parts = [
        ("`with`", with.is_some()),
        ("`order by`", order_by.is_some()),
        ("`limit` or `offset`", limit_clause.is_some()),
        ("`fetch`", fetch.is_some()),
        ("`for`", !locks.is_empty() || for_clause.is_some()),
        ("settings", settings.is_some() || format_clause.is_some()),
        ("a pipe", !pipe_operators.is_empty()),
    ];
    refuse_all(&parts, REMEDY)?;
    let select = match body.as_ref() {
        SetExpr::Select(select) => select,
        SetExpr::SetOperation { op, .. } => {
            let word = op.to_string().to_lowercase();
            return Err(refused(&format!("`{word}`"), Location::empty(), "ask for each view by itself, or use `or`"));
        }
        SetExpr::Query(_) => return Err(refused("parentheses around it", Location::empty(), "leave them out")),
        _ => return Err(refused("a statement that is no select", Location::empty(), FORM)),
    };
    let Select {
        select_token: _,
        optimizer_hints,
        distinct,
        select_modifiers,
        top,
        top_before_distinct: _,
        projection: _,
        exclude,
        into,
        from: _,
        lateral_views,
        prewhere,
        selection: _,
        connect_by,
        group_by,
        cluster_by,
        distribute_by,
        sort_by,
        having,
        named_window,
        qualify,
        window_before_qualify: _,
        value_table_mode,
        flavor: _,
    } = select.as_ref();
    let grouped = !matches!(group_by, GroupByExpr::Expressions(by, with) if by.is_empty() && with.is_empty());
    let parts = [
        ("`distinct`", !matches!(distinct, None | Some(Distinct::All))),
        ("`group by`", grouped),
        ("`having`", having.is_some()),
        ("`top`", top.is_some()),
        ("`into`", into.is_some()),
        ("`window`", !named_window.is_empty()),
        ("`qualify`", qualify.is_some()),
        ("`connect by`", !connect_by.is_empty()),
        ("`lateral view`", !lateral_views.is_empty()),
        ("`prewhere`", prewhere.is_some()),
        ("`cluster by`", !cluster_by.is_empty()),
        ("`distribute by`", !distribute_by.is_empty()),
        ("`sort by`", !sort_by.is_empty()),
        ("a modifier of the select", select_modifiers.is_some() || value_table_mode.is_some() || exclude.is_some()),
        ("a hint", !optimizer_hints.is_empty()),
    ];
    refuse_all(&parts, "leave it out, a view shows the values of all whom it selects")?;
    Ok(select)
}

/// The table and its other name.
fn source(from: &[TableWithJoins]) -> Result<(Ident, Option<Ident>)> {
    const REMEDY: &str = "name one table after `from`";
    let none = Location::empty();
    let TableWithJoins { relation, joins } = match from {
        [only] => only,
        [] => return Err(refused("no table", none, REMEDY)),
        _ => return Err(refused("several tables", none, REMEDY)),
    };
    if !joins.is_empty() {
        return Err(refused("a join", none, REMEDY));
    }
    match relation {
        TableFactor::Table {
            name: ObjectName(parts),
            alias,
            args,
            with_hints,
            version,
            with_ordinality,
            partitions,
            json_path,
            sample,
            index_hints,
        } => {
            let parts_of = [
                ("a function in the place of the table", args.is_some() || *with_ordinality),
                ("a sample", sample.is_some()),
                ("a version of the table", version.is_some()),
                ("partitions", !partitions.is_empty()),
                ("a path within the table", json_path.is_some()),
                ("a hint", !with_hints.is_empty() || !index_hints.is_empty()),
            ];
            refuse_all(&parts_of, REMEDY)?;
            let [ObjectNamePart::Identifier(name)] = parts.as_slice() else {
                return Err(refused("a table name of several parts", none, "name the table alone"));
            };
            let alias = match alias {
                None => None,
                Some(TableAlias { explicit: _, name, columns, at: None }) if columns.is_empty() => Some(name.clone()),
                Some(_) => return Err(refused("other names for columns", none, "use the names that the table has")),
            };
            Ok((name.clone(), alias))
        }
        TableFactor::Derived { .. } => Err(refused("a subquery", none, REMEDY)),
        _ => Err(refused("what is no table after `from`", none, REMEDY)),
    }
}

/// What names in a statement stand for.
struct Names<'a> {
    table: &'a Table,
    /// The table's name in the statement, and its other one.
    from: [Option<&'a Ident>; 2],
}

impl Names<'_> {
    /// The column that a name of one or two parts stands for; as it is written when there is none.
    fn column(&self, name: &[Ident]) -> Result<String> {
        let column = match name {
            [column] => column,
            [table, column] => {
                if !self.from.iter().flatten().any(|known| same(table, known)) {
                    return Err(refused(
                        "a column of another table",
                        table.span.start,
                        "put the name of the table after `from` before it, or none",
                    ));
                }
                column
            }
            _ => return Err(refused("a column name of several parts", Location::empty(), "write `TABLE.COLUMN`")),
        };
        let columns = || self.table.columns().iter().map(Column::name);
        if column.quote_style.is_some() || columns().any(|name| name == column.value) {
            return Ok(column.value.clone());
        }
        let folded = column.value.to_lowercase();
        let alike: Vec<&str> = columns().filter(|name| name.to_lowercase() == folded).collect();
        match alike.as_slice() {
            [] => Ok(column.value.clone()),
            [only] => Ok((*only).to_owned()),
            [first, second, ..] => Err(refused(
                &format!("a name that may be `{first}` or `{second}`"),
                column.span.start,
                "write it as the table has it, in double quotes",
            )),
        }
    }
}

/// Whether two names are the same: without regard to case where one has no quotes.
fn same(one: &Ident, other: &Ident) -> bool {
    let exact = one.quote_style.is_some() && other.quote_style.is_some();
    one.value == other.value || (!exact && one.value.to_lowercase() == other.value.to_lowercase())
}

/// The one sensitive column that is selected.
fn shown(items: &[SelectItem], names: &Names<'_>) -> Result<String> {
    let sensitive: Vec<&str> = names.table.with_role(Role::Sensitive).map(Column::name).collect();
    let list = sensitive.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" or ");
    let remedy = if list.is_empty() { "give a column the role `sensitive`".into() } else { format!("select {list}") };
    let wrong = |what: &str| Error::invalid(format!("a view shows one sensitive column, not {what}; {remedy}"));
    let expression = match items {
        [SelectItem::UnnamedExpr(expression)] => expression,
        [SelectItem::ExprWithAlias { .. } | SelectItem::ExprWithAliases { .. }] => {
            return Err(wrong("one under another name"));
        }
        [SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..)] => return Err(wrong("`*`")),
        [] => return Err(wrong("none")),
        _ => return Err(wrong("several")),
    };
    let Some(parts) = condition::name_of(expression) else {
        return Err(wrong(&condition::kind_of(expression)));
    };
    let name = names.column(parts)?;
    match names.table.columns().iter().find(|column| column.name() == name) {
        Some(column) if column.role() == Role::Sensitive => Ok(name),
        Some(column) => Err(wrong(&format!("`{name}`, which has role `{}`", column.role()))),
        None => {
            let hint = did_you_mean(&name, sensitive);
            Err(Error::new(ErrorKind::UnknownColumn, format!("no column `{name}`{hint}; {remedy}")))
        }
    }
}

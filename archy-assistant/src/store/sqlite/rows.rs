//! The statements on a table's rows.

use rusqlite::{Connection, OptionalExtension, Result};

use crate::{Expect, Op, Order, Rows, Scan, Table};

/// How many statements a connection keeps ready: all kinds for all tables.
pub(super) const STATEMENTS: usize = 9 * Table::ALL.len();

pub(super) fn get(connection: &Connection, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>> {
    let sql = format!("SELECT value FROM {} WHERE key = ?1", table.name());
    connection.prepare_cached(&sql)?.query_row([key], |row| row.get(0)).optional()
}

pub(super) fn scan(connection: &Connection, scan: &Scan) -> Result<Rows> {
    let (mut from, mut to) = (scan.prefix.clone(), end(&scan.prefix));
    match (&scan.beyond, scan.order) {
        (Some(beyond), Order::Up) => {
            // The smallest key that is larger.
            let next = [beyond.as_slice(), &[0]].concat();
            from = from.max(next);
        }
        (Some(beyond), Order::Down) => {
            to = Some(to.map_or(beyond.clone(), |end| end.min(beyond.clone())));
        }
        (None, _) => {}
    }
    let order = match scan.order {
        Order::Up => "ASC",
        Order::Down => "DESC",
    };
    let limit = i64::try_from(scan.limit).unwrap_or(i64::MAX);
    let below = if to.is_some() { "AND key < ?3" } else { "" };
    let sql = format!(
        "SELECT key, value FROM {} WHERE key >= ?1 {below} ORDER BY key {order} LIMIT ?2",
        scan.table.name()
    );
    let mut statement = connection.prepare_cached(&sql)?;
    let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?));
    match to {
        Some(to) => statement.query_map((from, limit, to), row)?.collect(),
        None => statement.query_map((from, limit), row)?.collect(),
    }
}

pub(super) fn holds(connection: &Connection, expect: &Expect) -> Result<bool> {
    Ok(match expect {
        Expect::Absent(table, key) => get(connection, *table, key)?.is_none(),
        Expect::Value(table, key, value) => get(connection, *table, key)?.as_ref() == Some(value),
    })
}

pub(super) fn apply(connection: &Connection, op: &Op) -> Result<()> {
    match op {
        Op::Put(table, key, value) => {
            let sql = format!("INSERT OR REPLACE INTO {} (key, value) VALUES (?1, ?2)", table.name());
            connection.prepare_cached(&sql)?.execute((key, value))
        }
        Op::Remove(table, key) => {
            let sql = format!("DELETE FROM {} WHERE key = ?1", table.name());
            connection.prepare_cached(&sql)?.execute([key])
        }
        Op::RemoveAll(table, prefix) => {
            let sql = format!("DELETE FROM {} WHERE key >= ?1", table.name());
            if let Some(end) = end(prefix) {
                connection.prepare_cached(&(sql + " AND key < ?2"))?.execute((prefix, end))
            } else {
                connection.prepare_cached(&sql)?.execute([prefix])
            }
        }
    }?;
    Ok(())
}

/// The smallest key above all that start so, if there is one.
fn end(prefix: &[u8]) -> Option<Vec<u8>> {
    let last = prefix.iter().rposition(|byte| *byte != 0xFF)?;
    let mut end = prefix[..=last].to_vec();
    end[last] += 1;
    Some(end)
}

#[cfg(test)]
mod tests {
    use super::end;

    #[test]
    fn the_end_of_a_prefix_is_above_all_that_start_so() {
        let cases: [(&[u8], Option<&[u8]>); 6] = [
            (b"", None),
            (b"a", Some(b"b")),
            (b"a\xFE", Some(b"a\xFF")),
            (b"a\xFF", Some(b"b")),
            (b"\0\xFF\xFF", Some(b"\x01")),
            (b"\xFF\xFF", None),
        ];
        for (prefix, expected) in cases {
            assert_eq!(end(prefix).as_deref(), expected, "{prefix:?}");
        }
    }
}

//! Tables: columns as wide as what stands in them.

use crate::exit::Trouble;
use crate::terminal::Terminal;

/// What stands in a column is cut after so many.
const WIDEST: usize = 48;

/// Rows of cells.
#[derive(Debug, Default)]
pub(super) struct Columns(Vec<Vec<String>>);

impl Columns {
    pub(super) fn row<const N: usize>(&mut self, cells: [String; N]) {
        self.0.push(cells.into_iter().map(|cell| cut(&cell)).collect());
    }

    /// Writes all rows; the last column is as long as it is.
    pub(super) fn print(&self, terminal: Terminal) -> Result<(), Trouble> {
        let mut widths: Vec<usize> = Vec::new();
        for row in &self.0 {
            widths.resize(widths.len().max(row.len()), 0);
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(wide(cell));
            }
        }
        for row in &self.0 {
            let mut line = String::from(" ");
            for (place, cell) in row.iter().enumerate() {
                line.push(' ');
                line.push_str(cell);
                if place + 1 < row.len() {
                    let gap = widths[place] - wide(cell) + 1;
                    line.extend(std::iter::repeat_n(' ', gap));
                }
            }
            terminal.aligned(line.trim_end())?;
        }
        Ok(())
    }
}

fn cut(cell: &str) -> String {
    if wide(cell) <= WIDEST {
        return cell.to_owned();
    }
    let mut width = 1;
    let mut short: String = cell
        .chars()
        .take_while(|letter| {
            width += letter_wide(*letter);
            width <= WIDEST
        })
        .collect();
    short.push('…');
    short
}

/// How many columns of a terminal a text takes.
fn wide(text: &str) -> usize {
    text.chars().map(letter_wide).sum()
}

/// Marks sit on the letter before them; what East Asia writes is twice as wide. It is near enough for a table.
fn letter_wide(letter: char) -> usize {
    match letter {
        '\u{300}'..='\u{36f}' | '\u{200b}'..='\u{200f}' | '\u{fe00}'..='\u{fe0f}' => 0,
        '\u{1100}'..='\u{115f}'
        | '\u{2e80}'..='\u{a4cf}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe6f}'
        | '\u{ff00}'..='\u{ff60}'
        | '\u{ffe0}'..='\u{ffe6}'
        | '\u{1f300}'..='\u{1faff}'
        | '\u{20000}'..='\u{3fffd}' => 2,
        _ => 1,
    }
}

/// Minutes and seconds; hours where it is that long.
pub(super) fn duration(milliseconds: u64) -> String {
    let seconds = (milliseconds + 500) / 1000;
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

/// “1 track”, “2 tracks”.
pub(super) fn count(number: u64, one: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {one}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_cut_where_a_terminal_sees_it() {
        assert_eq!(cut(&"x".repeat(48)), "x".repeat(48));
        assert_eq!(cut(&"x".repeat(49)), "x".repeat(47) + "…");
        assert_eq!(cut(&"京".repeat(25)), "京".repeat(23) + "…");
        assert_eq!((wide("e\u{301}"), wide("東京")), (1, 4));
    }

    #[test]
    fn times_are_as_on_a_sleeve() {
        assert_eq!([0, 61_499, 3_600_000].map(duration), ["0:00", "1:01", "1:00:00"]);
    }
}

//! How fast a scan is without the reading of real tags: not a test, but a program that prints figures.

use std::fs;
use std::time::Instant;

use archy_content::*;

use crate::shelf::at_once;
use crate::text_reader::options;

/// `cargo test -p archy-content --release -- --ignored --nocapture speed`
#[test]
#[ignore = "it measures; run it alone and built for release"]
fn of_scanning_five_thousand_and_opening_a_hundred_thousand() {
    for tracks in [5_000, 100_000] {
        let directory = tempfile::tempdir().unwrap();
        let (music, index) = (directory.path().join("music"), directory.path().join("index"));
        for number in 0..tracks {
            let album = number / 10;
            let folder = music.join(format!("Artist {}/Album {album}", album / 4));
            fs::create_dir_all(&folder).unwrap();
            let text = format!(
                "title=Song {number} of things\nalbum=Album number {album}\nartist=Artist {a}\nalbumartist=Artist {a}\ncomposer=Composer {c}\n\
                 track={t}\ndisc=1\nyear=19{y}\ngenre=Genre {g}\nms=200000\naudio={number}\n",
                a = album / 4,
                c = number % 97,
                t = number % 10 + 1,
                y = 50 + album % 50,
                g = album % 20
            );
            fs::write(folder.join(format!("{:02} Song {number}.mp3", number % 10 + 1)), text).unwrap();
        }
        let begun = Instant::now();
        let library = Library::open(&index, options()).unwrap();
        library.set_roots(&[music]).unwrap();
        let mut walked = None;
        library
            .scan(&at_once(), &Stop::default(), &mut |event| {
                if let ScanEvent::Reading { .. } = event {
                    walked.get_or_insert_with(|| begun.elapsed());
                }
            })
            .unwrap();
        println!("{tracks} tracks: first scan {:?}, first batch after {walked:?}", begun.elapsed());
        let begun = Instant::now();
        let report = library.scan(&at_once(), &Stop::default(), &mut |_| ()).unwrap();
        println!("  again {:?}, {} unchanged", begun.elapsed(), report.unchanged);
        drop(library);
        let begun = Instant::now();
        let library = Library::open(&index, options()).unwrap();
        println!("  opened in {:?}", begun.elapsed());
        let begun = Instant::now();
        library.albums(&Page::first(50)).unwrap();
        println!("  first 50 albums in {:?}", begun.elapsed());
        let status = fs::read_to_string("/proc/self/status").unwrap();
        println!("  {}", status.lines().find(|line| line.starts_with("VmHWM")).unwrap());
        for entry in fs::read_dir(&index).unwrap() {
            let entry = entry.unwrap();
            println!("  {:?} {} kB", entry.file_name(), entry.metadata().unwrap().len() / 1024);
        }
    }
}

use super::*;
use crate::Source;

fn name(text: &str) -> Untrusted {
    Untrusted::new(text, Source::AppName)
}

/// A name, and one that passes for it.
const PAIRS: [(&str, &str); 87] = [
    // The whole word is of another script.
    ("apple", "аррӏе"),
    ("coco", "сосо"),
    ("coco", "СОСО"),
    ("scope", "ѕсоре"),
    ("epic", "еріс"),
    ("pop", "рор"),
    ("axe", "ахе"),
    ("Axe", "ахе"),
    ("hoax", "һоах"),
    ("ace", "асе"),
    ("peace", "реасе"),
    ("yes", "уеѕ"),
    ("spy", "ѕру"),
    ("ears", "еагѕ"),
    ("joy", "јоу"),
    ("oxide", "охіԁе"),
    ("jeep", "јеер"),
    ("cache", "сасһе"),
    ("space", "ѕрасе"),
    ("pixie", "ріхіе"),
    ("icy", "ісу"),
    ("copy", "сору"),
    ("PACE", "РАСЕ"),
    ("TOP", "ТОР"),
    ("BOX", "ВОХ"),
    ("BOX", "ΒΟΧ"),
    ("box", "ΒΟΧ"),
    ("nike", "ΝΙΚΕ"),
    ("ZOOM", "ΖΟΟΜ"),
    ("oo", "οο"),
    ("OO", "ՕՕ"),
    ("CAT", "ᏟᎪᎢ"),
    ("coco", "ϲοϲο"),
    // One letter is: also given away by mixed scripts.
    ("bitcoin", "bitсoin"),
    ("bitcoin", "bіtcoin"),
    ("bitcoin", "Βitcoin"),
    ("Nextcloud", "Nеxtcloud"),
    ("Nextcloud", "Νextcloud"),
    ("nextcloud", "nextclοud"),
    ("paypal", "pаypаl"),
    ("mempool", "mempооl"),
    ("electrs", "eӏectrs"),
    ("jellyfin", "jeIlуfin"),
    ("fedimint", "fеdimint"),
    ("immich", "immісh"),
    ("vaultwarden", "vаultwarden"),
    ("Home Assistant", "Home Аssistant"),
    // The same script, or none.
    ("mempool", "rnempool"),
    ("Mempool", "rnempool"),
    ("immich", "irnrnich"),
    ("lnd", "Ind"),
    ("lnd", "1nd"),
    ("electrs", "e1ectrs"),
    ("ollama", "oIIama"),
    ("OLLAMA", "0LLAMA"),
    ("BTCPay", "BTCРay"),
    ("jellyfin", "je||yfin"),
    ("immich", "ımmich"),
    ("bitcoin", "bıtcoın"),
    ("gitea", "ɡitea"),
    ("agora", "ɑgora"),
    ("disk 0", "disk O"),
    ("disk 1", "disk l"),
    ("wallet", "wa\u{2113}\u{2113}et"),
    ("vv", "\u{2174}\u{2174}"),
    // Compatible characters.
    ("nextcloud", "ｎｅｘｔｃｌｏｕｄ"),
    ("nextcloud", "𝐧𝐞𝐱𝐭𝐜𝐥𝐨𝐮𝐝"),
    ("nextcloud", "𝚗𝚎𝚡𝚝𝚌𝚕𝚘𝚞𝚍"),
    ("nextcloud", "ⓝⓔⓧⓣⓒⓛⓞⓤⓓ"),
    ("files", "ﬁles"),
    ("office", "oﬃce"),
    // Case.
    ("Nextcloud", "nextcloud"),
    ("nextcloud", "NEXTCLOUD"),
    ("straße", "STRASSE"),
    ("Музыка", "МУЗЫКА"),
    ("σίσυφος", "ΣΊΣΥΦΟΣ"),
    // What does not show.
    ("nextcloud", "nextcloud"),
    ("nextcloud", " nextcloud "),
    ("Home Assistant", "Home  Assistant"),
    ("Home Assistant", "Home\u{a0}Assistant"),
    ("nextcloud", "next\u{200b}cloud"),
    ("nextcloud", "next\u{ad}cloud"),
    ("nextcloud", "nextcloud\u{fe0f}"),
    ("nextcloud", "next\u{34f}cloud\u{e0041}"),
    ("nextcloud", "next\u{3164}cloud\u{2800}"),
    ("caf\u{e9}", "cafe\u{301}"),
    ("bitcoin", "\u{202e}bitcoin\u{202c}"),
];

#[test]
fn a_name_that_passes_for_another_needs_its_id() {
    for (known, copy) in PAIRS {
        let both = [name("Photos"), name(known)];
        assert!(needs_id(&name(copy), &both), "{copy} beside {known}");
        let both = [name("Photos"), name(copy)];
        assert!(needs_id(&name(known), &both), "{known} beside {copy}");
    }
}

#[test]
fn a_word_of_mixed_scripts_needs_its_id_beside_nothing() {
    for mixed in [
        "bitсoin",
        "Βitcoin",
        "pаypаl",
        "My bіtcoin",
        "Nеxt-cloud",
        "узeл",
        "Ωmega",
        "bit\u{200b}сoin",
        "apple аpple",
    ] {
        assert!(needs_id(&name(mixed), []), "{mixed}");
    }
    for unseen in ["", " ", "\u{200b}\u{3164}", "\u{2800}"] {
        assert!(needs_id(&name(unseen), []), "{unseen:?}");
    }
}

#[test]
fn honest_names_do_not() {
    let honest = [
        "Bitcoin Core",
        "Bitcoin Knots",
        "Nextcloud 31",
        "Home Assistant",
        "mempool.space",
        "Café (beta) – 2",
        "Müller's NAS",
        "Музыка",
        "Мой Nextcloud",
        "Фото-2026",
        "Ελληνικά",
        "音楽プレーヤー",
        "カラオケ DX",
        "Lo-fiビート",
        "한국어 노래",
        "K팝",
        "古典音乐",
        "موسيقى",
        "מוזיקה",
        "ज़िंदगी",
        "เพลงไทย",
        "C++",
        "☕ Coffee!",
        "42",
    ];
    for (place, this) in honest.iter().enumerate() {
        let others: Vec<_> = honest
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != place)
            .map(|(_, text)| name(text))
            .collect();
        assert!(!needs_id(&name(this), &others), "{this}");
    }
}

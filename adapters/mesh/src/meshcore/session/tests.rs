use super::*;
use crate::ContactKey;

const ANN: ContactKey = ContactKey([1; 32]);
const NOW: Timestamp = Timestamp(1_796_126_400_000);

fn contact(key: ContactKey) -> Vec<u8> {
    [&[0x03][..], &key.0, &[1, 0, 255], &[0; 64], &[0; 32], &[0; 16]].concat()
}

fn direct(key: ContactKey, text: &str) -> Vec<u8> {
    [&[0x10, 38, 0, 0][..], &key.0[..6], &[0, 0, 7, 0, 0, 0], text.as_bytes()].concat()
}

/// Answers commands until none is left; gives what was told and what was asked, by the first byte.
fn serve(session: &mut Session, contacts: &[ContactKey], queue: &mut Vec<Vec<u8>>) -> (Vec<Told>, Vec<u8>) {
    let (mut told, mut asked) = (Vec::new(), Vec::new());
    while let Some(frame) = session.write(NOW) {
        asked.push(frame[3]);
        let answers = match frame[3] {
            0x16 => vec![vec![0x0d, 13]],
            0x01 => vec![[&[0x05, 1, 22, 22][..], &[7; 32], &[0; 20], &[8, 8], b"home"].concat()],
            0x06 => vec![vec![0x01, 6]],
            0x04 => {
                let all = contacts.iter().map(|key| contact(*key));
                [vec![vec![2, 0, 0, 0, 0]], all.collect(), vec![vec![4, 0, 0, 0, 0]]].concat()
            }
            0x0a => vec![if queue.is_empty() { vec![0x0a] } else { queue.remove(0) }],
            0x02 => vec![vec![6, 1, 5, 0, 0, 0, 0x10, 0x27, 0, 0]],
            other => panic!("{other}"),
        };
        for answer in answers {
            // A clock's beat between question and answer disturbs nothing.
            told.extend(session.read(&[9, 0, 0, 0, 0], NOW));
            told.extend(session.read(&answer, NOW));
        }
    }
    (told, asked)
}

fn texts(told: &[Told]) -> Vec<(Sender, String)> {
    let message = |told: &Told| match told {
        Told::Message(received) => Some((received.from, received.text.clone())),
        _ => None,
    };
    told.iter().filter_map(message).collect()
}

#[test]
fn contacts_are_known_before_the_first_message_is_taken() {
    let mut session = Session::new(NOW);
    let mut queue = vec![direct(ANN, "hi"), direct(ContactKey([9; 32]), "ho")];
    let (told, asked) = serve(&mut session, &[ANN], &mut queue);
    assert_eq!(asked, [0x16, 0x01, 0x06, 0x04, 0x0a, 0x0a, 0x0a]);
    assert!(matches!(&told[0], Told::Up(me) if me.name == "home"));
    assert_eq!(texts(&told), [(Sender::Contact(ANN), "hi".to_owned()), (Sender::Unknown, "ho".to_owned())]);
}

#[test]
fn when_contacts_have_changed_they_are_read_before_anybody_is_named() {
    let mut session = Session::new(NOW);
    serve(&mut session, &[ANN], &mut Vec::new());
    // Somebody has made a key that begins like Ann's.
    let mut twin = ANN;
    twin.0[31] = 2;
    session.read(&[&[0x80][..], &twin.0].concat(), NOW);
    session.read(&[0x83], NOW);
    let (told, asked) = serve(&mut session, &[ANN, twin], &mut vec![direct(ANN, "hi")]);
    assert_eq!(asked, [0x0a, 0x04, 0x0a]);
    assert_eq!(texts(&told), [(Sender::Unknown, "hi".to_owned())]);
    let packet = Packet { to: Asker::Contact(ANN), at: 7, attempt: 0, text: "x".to_owned() };
    assert_eq!(session.say(&packet), Err(NotSent::Refused), "nor is anything sent to whoever comes first");
}

#[test]
fn when_contacts_have_changed_they_are_read_before_anything_is_said() {
    let mut session = Session::new(NOW);
    serve(&mut session, &[ANN], &mut Vec::new());
    let packet = Packet { to: Asker::Contact(ANN), at: 7, attempt: 0, text: "x".to_owned() };
    session.read(&[&[0x80][..], &ANN.0].concat(), NOW);
    assert_eq!(session.say(&packet), Ok(()));
    let (told, asked) = serve(&mut session, &[ANN], &mut Vec::new());
    assert_eq!((asked, told.len()), (vec![0x04, 0x02], 2));
    let mut twin = ANN;
    twin.0[31] = 2;
    session.read(&[&[0x80][..], &twin.0].concat(), NOW);
    assert_eq!(session.say(&packet), Ok(()));
    let (told, asked) = serve(&mut session, &[ANN, twin], &mut Vec::new());
    assert_eq!(asked, [0x04]);
    assert_eq!(told[1..], [Told::Sent(Err(NotSent::Refused))]);
}

#[test]
fn a_packet_is_sent_and_acknowledged() {
    let mut session = Session::new(NOW);
    let packet = Packet { to: Asker::Contact(ANN), at: 7, attempt: 0, text: "x".to_owned() };
    assert_eq!(session.say(&packet), Err(NotSent::Down));
    serve(&mut session, &[ANN], &mut Vec::new());
    assert_eq!(session.say(&packet), Ok(()));
    let (told, _) = serve(&mut session, &[ANN], &mut Vec::new());
    let within = std::time::Duration::from_secs(10);
    assert_eq!(told, [Told::Sent(Ok(Sent::Awaiting { ack: 5, within }))]);
    assert_eq!(session.read(&[0x82, 5, 0, 0, 0, 1, 0, 0, 0], NOW), [Told::Acknowledged(5)]);
}

#[test]
fn a_radio_that_does_not_answer_is_given_up_and_a_quiet_one_is_asked() {
    let mut session = Session::new(NOW);
    session.write(NOW).unwrap();
    assert_eq!(session.tick(Timestamp(NOW.0 + ANSWER - 1)), Ok(()));
    assert_eq!(session.tick(Timestamp(NOW.0 + ANSWER)), Err(Broken));
    let mut session = Session::new(NOW);
    serve(&mut session, &[ANN], &mut Vec::new());
    assert_eq!(session.tick(Timestamp(NOW.0 + QUIET)), Ok(()));
    assert_eq!(session.write(NOW).map(|frame| frame[3]), Some(0x0a));
}

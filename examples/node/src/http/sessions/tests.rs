use super::*;

fn in_with(sessions: &Sessions) -> (String, String) {
    let halves = sessions.log_in(&sessions.link().text()).unwrap_or_else(|_| panic!("it is fresh"));
    (halves.cookie.text(), halves.header.text())
}

#[tokio::test(start_paused = true)]
async fn a_link_works_once_and_for_ten_minutes() {
    let sessions = Sessions::new();
    let (first, second) = (sessions.link().text(), sessions.link().text());
    assert!(sessions.log_in(&first).is_ok());
    assert_eq!(sessions.log_in(&first).err(), Some(Refused::Link));
    tokio::time::advance(LINK_LIVES).await;
    assert_eq!(sessions.log_in(&second).err(), Some(Refused::Link));
    assert_eq!(sessions.log_in("").err(), Some(Refused::Link));
}

#[tokio::test(start_paused = true)]
async fn a_session_needs_both_of_its_halves() {
    let sessions = Sessions::new();
    let ((cookie, header), (other_cookie, other_header)) = (in_with(&sessions), in_with(&sessions));
    let id = sessions.find(&[&cookie], &header).expect("both halves");
    assert_eq!(sessions.find(&["of another port", &cookie], &header), Some(id));
    for (cookies, header) in [
        (vec![], header.as_str()),
        (vec![cookie.as_str()], ""),
        (vec![&cookie], &other_header),
        (vec![&other_cookie], &header),
        (vec![&header], &cookie),
        (vec![&cookie], &cookie),
    ] {
        assert_eq!(sessions.find(&cookies, header), None);
    }
    sessions.end(id);
    assert_eq!((sessions.find(&[&cookie], &header), sessions.is_alive(id)), (None, false));
}

#[tokio::test(start_paused = true)]
async fn a_session_falls_asleep_and_does_not_live_for_ever() {
    let sessions = Sessions::new();
    let (cookie, header) = in_with(&sessions);
    for _ in 0..13 {
        tokio::time::advance(IDLE.saturating_sub(Duration::from_secs(1))).await;
        assert!(sessions.find(&[&cookie], &header).is_some());
    }
    tokio::time::advance(IDLE).await;
    assert!(sessions.find(&[&cookie], &header).is_none());
    let (cookie, header) = in_with(&sessions);
    for _ in 0..14 {
        sessions.find(&[&cookie], &header);
        tokio::time::advance(IDLE.saturating_sub(Duration::from_millis(1))).await;
    }
    tokio::time::advance(Duration::from_secs(1)).await;
    assert!(sessions.find(&[&cookie], &header).is_none(), "seven days are over");
}

#[tokio::test(start_paused = true)]
async fn a_session_has_so_many_calls_and_each_ends_with_it() {
    let sessions = Sessions::new();
    let (cookie, header) = in_with(&sessions);
    let id = sessions.find(&[&cookie], &header).expect("both halves");
    let code = |begun: Result<UnderWay, Fault>| begun.err().map(|fault| fault.code);
    let mut under_way: Vec<UnderWay> =
        (0..UNDER_WAY).map(|_| sessions.begin(id).unwrap_or_else(|_| panic!("there is room"))).collect();
    assert_eq!(code(sessions.begin(id)), Some(Code::RateLimited), "none has ended");
    let mut last = under_way.pop().expect("the last");
    drop(under_way);
    let begun = (0..100).filter(|_| sessions.begin(id).is_ok()).count();
    assert_eq!(begun, CALLS.0 as usize - UNDER_WAY - 1, "each ended at once, and they were fast");
    tokio::time::advance(CALLS.1).await;
    assert_eq!(code(sessions.begin(id)), None);
    sessions.end(id);
    last.logged_out().await;
    assert_eq!(code(sessions.begin(id)), Some(Code::Unauthenticated));
}

#[tokio::test(start_paused = true)]
async fn calls_keep_a_session_awake() {
    let sessions = Sessions::new();
    let (cookie, header) = in_with(&sessions);
    let id = sessions.find(&[&cookie], &header).expect("both halves");
    for _ in 0..3 {
        tokio::time::advance(IDLE.saturating_sub(Duration::from_secs(1))).await;
        assert!(sessions.begin(id).is_ok());
    }
    tokio::time::advance(IDLE).await;
    assert_eq!((sessions.begin(id).is_ok(), sessions.is_alive(id)), (false, false));
}

#[tokio::test(start_paused = true)]
async fn logins_and_sessions_are_few() {
    let sessions = Sessions::new();
    let (cookie, header) = in_with(&sessions);
    for _ in 0..40 {
        tokio::time::advance(Duration::from_secs(6)).await;
        in_with(&sessions);
    }
    assert!(sessions.find(&[&cookie], &header).is_none(), "the oldest has gone");
    tokio::time::advance(Duration::from_secs(3600)).await;
    let refused: Vec<_> = (0..12).filter_map(|_| sessions.log_in("guess").err()).collect();
    assert_eq!(refused[..10], [Refused::Link; 10]);
    assert_eq!(refused[10..], [Refused::TooMany; 2]);
    // Whoever has a link comes in all the same.
    in_with(&sessions);
}

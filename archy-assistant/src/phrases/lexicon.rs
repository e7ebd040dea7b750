//! English, as data: which words carry nothing, which mean the same, and which frames make a sentence an order, a
//! question, a refusal, a report or a plan for later. No tool is named here.

/// The ways in a list that is written `one way | another way`.
pub(super) fn ways(list: &'static str) -> impl Iterator<Item = &'static str> {
    list.split('|').map(str::trim)
}

/// What the contraction `short` stands for.
pub(super) fn whole(short: &str) -> Option<&'static str> {
    ways(CONTRACTIONS)
        .filter_map(|pair| pair.split_once('='))
        .find(|(known, _)| *known == short)
        .map(|(_, whole)| whole)
}

/// Written together or apart: what each contraction stands for.
const CONTRACTIONS: &str = "\
    dont=do not | don't=do not | doesnt=does not | doesn't=does not | didnt=did not | didn't=did not | \
    isnt=is not | isn't=is not | arent=are not | aren't=are not | wasnt=was not | wasn't=was not | \
    weren't=were not | werent=were not | hasnt=has not | hasn't=has not | havent=have not | haven't=have \
    not | hadn't=had not | cant=can not | can't=can not | cannot=can not | couldnt=could not | \
    couldn't=could not | wont=will not | won't=will not | wouldnt=would not | wouldn't=would not | \
    shouldnt=should not | shouldn't=should not | mustn't=must not | mustnt=must not | needn't=need not | \
    ain't=is not | aint=is not | what's=what is | whats=what is | wats=what is | how's=how is | hows=how \
    is | who's=who is | whos=who is | where's=where is | wheres=where is | when's=when is | why's=why is \
    | that's=that is | thats=that is | there's=there is | theres=there is | here's=here is | it's=it is \
    | he's=he is | she's=she is | everything's=everything is | anything's=anything is | \
    something's=something is | i'm=i am | im=i am | i'd=i would | id=id | i'll=i will | i've=i have | \
    ive=i have | you're=you are | you'd=you would | you'll=you will | you've=you have | youre=you are | \
    we're=we are | we'd=we would | we'll=we will | we've=we have | they're=they are | they've=they have \
    | they'll=they will | he'll=he will | she'll=she will | it'll=it will | it'd=it would | that'd=that \
    would | that'll=that will | let's=lets | gonna=going to | wanna=want to | gotta=have to | gimme=give \
    me | lemme=let me | u=you | ur=your | r=are | y'all=you | cuz=because | cos=because | coz=because | \
    'cause=because | bc=because | w/o=without | w=with | tz=timezone | n=and | &=and | &&=and";

/// Words that carry no content of their own and are never a slip of another.
pub(super) const STOP: &str = "a an the this that these those my mine your yours our ours his her hers its their theirs \
    i me we us you he she it they them myself yourself itself is are was were be been being am do does did done doing \
    have has had having will would shall should can could may might must need needs of to in at by for from with about into \
    onto under as and or but so than there some any which what how who whom whose where when why if whether because \
    since while until till though although not no nor never also too both either neither such own same other another \
    each via per through across between during against got get gets getting going go goes gone let lets us want wants wanted like \
    make makes made take takes took put thing things ones one stuff anything something everything anyone someone each every all \
    currently now today moment right presently these days yet already ever even only still again once more most much many few lot lots \
    bit little way sort kind very really quite pretty rather almost nearly else instead \
    know see show tell give look looks looking say says said mean means think guess wonder wondering seem seems come comes coming came keep keeps \
    let's able possible use using used been yourself ourselves themselves themself feeling feel coping holding behind beside besides whatever whichever however";

/// Words without content that are weak evidence where a phrase holds them.
pub(super) const WEAK: &str =
    "up down on off over out back ok okay well fine here around left inside still app node";

/// Politeness, interjections, hurry and temper: taken away wherever they stand.
pub(super) const FILLER: &str = "please pls plz plse pleease kindly hey hi hello yo hiya howdy greetings dear archy oi ok okay well oh ah \
    um uh erm hmm hm eh meh ugh argh wow gosh right alright cool great nice good thanks thank thx ty cheers ta mate buddy pal dude bro man friend sorry actually basically \
    honestly literally simply just quickly quick real fast asap immediately straight away damn damned bloody \
    fucking fuck fking freaking frigging stupid silly darn dang goddamn bleeding blasted wretched crappy old poor dear lovely wonderful again too also now then first \
    finally next lastly afterwards afterward anyway perhaps maybe possibly already instead yeah yes yep yup sure no nope exactly today currently properly once \
    manually safely gracefully gently cleanly nicely completely entirely fully totally whole entire go ahead kind favour favor second sec minute moment tick \
    little bit mind whenever possible lol haha btw fyi tbh imo imho bye morning evening afternoon hurry urgent urgently politely damnit quick maintenance repairs";

/// Runs of words that only wrap what is asked; taken away whole.
pub(super) const WRAPPING: &str = "\
    if you do not mind | if you would not mind | if you can | if you could | if you would | if you \
    please | if possible | if that is ok | if that is okay | if that is fine | if that is alright | if \
    it is not too much trouble | if it is ok | if it is possible | if you have a moment | if you have \
    time | if you have a second | if you have a sec | if you get a chance | if it is no trouble | if \
    that is possible | if it is not a problem | if you like | when you have a moment | when you get a \
    chance | when you can | when you have time | when you get a moment | when you get a second | when \
    you have a second | when you have a sec | when you have a minute | when you get a minute | whenever \
    you can | whenever you are ready | whenever you like | whenever you have time | when you are ready | \
    as soon as you can | as soon as possible | at your convenience | thank you | thanks a lot | many \
    thanks | thanks in advance | be so kind as to \
    | be so kind and | be a dear and | be a good | be a love and | do me a favour and | do me a favor \
    and | do me a favour | do me a favor | for me | for us | for a moment | for now | for the moment | \
    for the time being | for a bit | for a while | for a sec | for a second | for a minute | for an hour \
    | for the night | for tonight | for today | for the evening | for the day | for the weekend | for \
    good | right now | right away | straight away | at once | at the moment | at the minute | at this \
    point | at present | these days | as we speak | this instant | this minute | this second | this very \
    moment | real quick | really quick | once more | one more time | once again | over again | yet again \
    | go ahead and | go on and | go and | come on and |  quick question | \
    one more thing | by the way | last thing | of course | no rush | no hurry | as well | at all | a bit \
    | a little | kind of | sort of | the hell | the heck | on earth | the fuck | in the world | so much \
    | to me | with me | from now on | from here on | as of now | of mine | of ours | out there | over \
    here | over there | in here | on here | around here | to be honest | as usual | pretty please | s il \
    te plait | por favor | there is a good | make sure to | make sure you | be sure to | remember to | \
    do not forget to | try to | try and | while you are at it | while we are at it | need to know | a go \
    | in total | all together | altogether | any chance | any idea | any clue | got any idea | do you \
    happen to know | do you know | you know | i mean | i meant | i guess | i think | i suppose | a quick \
    | any more | anymore | 4 me | before i forget | if you know | if you would be so kind | if you would be so good \
    | will do | would do | is enough | are enough | is plenty | will be enough | would be enough | will suffice | if it is all the same \
    | if i may ask | if i may | at your earliest convenience | out of curiosity | for my information | for reference | just curious \
    | to be sure | to be safe | just in case | that is all | if it is not too much to ask | if it is not asking too much \
    | if it suits you | if it is not too much bother | when it suits you | when convenient | if i am allowed to ask | i beg you \
    | be so nice and | be nice and | with your permission | for heaven s sake | for god s sake | for crying out loud | at long last \
    | in the meantime | in any case | by chance | as far as you know | any longer | one last thing | one other thing \
    | first of all | to begin with | much obliged | i would say | i believe | let us say | if you are able | if you could manage it \
    | if you have the time | if it helps | if it is not a bother | if that is not too much trouble | if it is no bother \
    | if that is no trouble | if you are not too busy | if you are not busy | while you are there | time to | it is time to | good to go | you may | feel free to | you can";

/// Ways to mean one thing. `…` stands for up to five words between. The concept is a word that phrases may use too.
pub(super) const SYNONYMS: &[(&str, &str)] = &[
    (
        "restart",
        "restart | reboot | relaunch | bounce | reload | kick | power cycle | powercycle | re start | re \
         launch | turn off and on | switch off and on | turn … off and on | turn … off and back on | \
         turn … off then on | switch … off and on | stop and start | stop and restart | stop … and start \
         it | stop … and start it again | stop … then start it | give … a restart | give … a reboot | \
         give … a kick | give … a bounce | give … a nudge | give … a fresh restart | give … a full restart | give … a clean restart | give … a good restart | give … a fresh start | give … a kicking | \
         give … a quick restart | give … another restart | do a restart | perform a restart | do a \
         reboot | trigger a restart | force a restart | initiate a restart | start … afresh | start … \
         over | start … from fresh | cycle",
    ),
    (
        "start",
        "re enable | reenable | re start up | start | launch | boot | run | wake | activate | enable | fire up | spin up | boot up | start up \
         | startup | bring up | bring back | bring back up | bring online | bring back online | turn on \
         | turn back on | switch on | switch back on | power on | power up | power back on | power back \
         up | kick off | wake up | crank up | turn … on | turn … back on | switch … on | switch … back \
         on | power … on | power … up | power … back on | power … back up | fire … up | fire … back up | \
         spin … up | spin … back up | boot … up | start … up | start … back up | bring … up | bring … \
         back | bring … back up | bring … online | bring … back online | bring … back to life | wake … \
         up | put … on | put … back on | get … going | get … going again | get … running | get … back up \
         | get … up and running | get … up | get … started | get … back online | get … online | get … \
         back | set … running | set … going",
    ),
    ("it", "that one | this one | that thing | this thing"),
    (
        "stop",
        "stop running | turn of | switch of | shut of | power of | stop | halt | kill | quit | terminate | disable | deactivate | exit | close | shut down | \
         shutdown | shut off | shut | turn off | switch off | power off | power down | take down | take \
         offline | bring down | poweroff | wind down | close down | spin down | end | shut … down | shut \
         … off | turn … off | switch … off | power … off | power … down | take … down | take … offline | \
         take … off line | bring … down | close … down | spin … down | wind … down | knock … off | pull \
         the plug on | put a stop to | put an end to",
    ),
    (
        "set",
        "set | change | switch | adjust | alter | configure | modify | turn | put | move | raise | lower \
         | bump | crank | flip | reduce | increase | drop | dial | turn up | turn down | turn … \
         up | turn … down | set up | switch over | change over | set … up | toggle",
    ),
    (
        "look",
        "remind me what | remind me which | remind me how | remind me of | remind me who | run through | run me through | walk me through | talk me through | take me through | go over | \
         take a look at | take a look | have a look at | have a look | take a peek | have a peek at | \
         take a peek at | look at | peek at | check out | check up on | find out | figure out | work out \
         | give me | bring me | get me | fetch me | hand me | show me | tell me | list out | write out | \
         spell out | keep me posted on | fill me in on | update me on | brief me on | let me see | let \
         me know",
    ),
    ("make", "make"),
    (
        "node",
        "node | box | machine | server | computer | device | pi | host | system | rig | homeserver | \
         nodes | raspberry | on this thing | of this thing",
    ),
    ("app", "app | application | service | container | program | software | process | daemon | instance"),
    ("log", "log | logs | logfile | logfiles | journal | logbook"),
    ("run out", "run out | running out | runs out | ran out"),
    ("running", "up and running | in operation | running | runs"),
    ("memory", "memory | ram | mem"),
    ("cpu", "cpu | processor | core temperature | cpus"),
    (
        "hot",
        "hot | warm | temperature | temp | temps | heat | overheating | overheat | cool | degrees | \
         toasty | thermals",
    ),
    (
        "disk",
        "disk | disks | drive | hdd | ssd | nvme | hard drive | hard disk | disc | drives | harddrive | \
         volume",
    ),
    ("space", "space | room | storage | capacity | diskspace"),
    (
        "gb",
        "gb | gig | gigs | gigabyte | gigabytes | tb | terabyte | terabytes | terabytes | gib | tib | mb \
         | megabytes",
    ),
    ("balance", "balance | balances | funds"),
    ("sats", "sats | sat | satoshi | satoshis | btc | coins"),
    ("folder", "folder | folders | directory | directories | dir"),
    ("file", "file | files"),
    ("note", "note | notes | notebook | notepad | memo | memos"),
    (
        "search",
        "search | look for | look through | look in | look up | look all over | look over | look \
         everywhere | look anywhere | dig | dig up | hunt | hunt down | rummage | scan | query | locate \
         | find | track down | go through | sift | seek | comb",
    ),
    (
        "everywhere",
        "everywhere | anywhere | all over | across everything | everything on | whole node | whole box | \
         whole machine | whole server | entire node | entire machine | entire server | all places | \
         every corner | every place | all of",
    ),
    ("read", "read | read out | read aloud"),
    ("open", "open | open up | view | display | pull up | bring up the contents"),
    ("chain", "chain | blockchain | block chain"),
    (
        "sync",
        "sync | synced | syncing | synchronised | synchronized | synchronisation | synchronization | \
         synching | in sync | ibd | caught up | catch up | catching up",
    ),
    ("internet", "internet | web | online | wan"),
    ("ip", "ip | ips | ip address | ipv4 | ipv6"),
    ("network", "network | networking | wifi | wi fi | lan | ethernet"),
    ("traffic", "traffic | bandwidth | throughput"),
    ("peer", "peer | peers | neighbour | neighbours | neighbor | neighbors | contacts | contact"),
    (
        "setting",
        "setting | settings | preference | preferences | prefs | config | configuration | configs | \
         options | option",
    ),
    ("model", "model | llm | language model | ai model"),
    ("install", "install | installing"),
    ("delete", "delete | erase | wipe | nuke | purge | trash | destroy"),
    ("seed", "seed | seeds"),
    ("error", "error | errors | warnings | complaints"),
    ("crash", "crash | crashed | crashes | died"),
    ("dead", "dead"),
    ("ok", "ok | okay | alright | fine"),
    ("busy", "busy | strain | stressed | struggling | sluggish | slow"),
    ("uptime", "uptime | up time"),
];

/// Verbs that ask to be shown something.
pub(super) const LOOK: &str = "show tell list give get check see look display print fetch report describe summarise summarize inspect let \
    find bring pull run read view grab dump lookup enumerate know ls rundown summary breakdown snapshot verify confirm hand pass share present walk take keep examine monitor open name";

/// Verbs of change. After one of them nothing is only a look, whether or not a tool knows the verb.
pub(super) const CHANGE: &str = "restart start stop set change delete remove install uninstall update upgrade add create write move rename send pay \
    reset wipe format enable disable open close kill edit modify make put switch turn upload download copy share mute block ban trust forget clear \
    reinstall configure adjust pause suspend resume backup restore import export connect disconnect join leave rebalance save schedule remind play buy order \
    sell transfer withdraw deposit sign encrypt decrypt unlock lock mount unmount scan purge flush drop nuke erase destroy shred overwrite replace patch migrate convert water feed";

/// Frames that turn what follows into an order.
pub(super) const ORDER_FRAMES: &str = "\
    it would be great | it would be nice | it would be lovely | it would be good | it would be cool | \
    would be great | would be nice | i would appreciate it | i would be grateful | i would be happy | i \
    was wondering if you could | i am wondering if you could | i wonder if you could | was wondering if \
    you could | wondering if you could | i was wondering whether you could | i was hoping you could | i \
    was hoping you would | any chance you could | any chance you can | is there any chance you could | \
    do you think you could | might you | would you be able to | are you able to please | mind | can you \
    | could you | will you | would you | can we | could we | can u | may i ask you to | could i ask you \
    to | can i ask you to | can i get you to | could i get you to | i want you to | i need you to | i \
    would like you to | i would love you to | i want to | i need to | i would like to | i would love to \
    | i have to | lets | let us | we need to | we should | you should | you need to | we have to | you \
    must | you have to | i ask you to | i would appreciate it if you could | i would appreciate if you \
    could | i would appreciate it if you | it would be great if you could | it would be nice if you \
    could | it would be lovely if you could | would be great if you could | would be nice if you could | \
    would you mind | do you mind | can you go | please do | i would be grateful if you could | help me | \
    can you help me | i am asking you to | i order you to | we want to | you better | you had better | \
    would it be possible for you to | is it possible for you to | would it be possible to | can i have \
    you | how about you | do | want to | could you maybe | will you be able to | request | wish to | i \
    wish to | try | hit | press | would you be so kind as to | would you be so kind to | would you be so kind and | \
    would you be so good as to | would you be so nice as to | would you be kind enough to | would you be good enough to | \
    could you be so kind as to | could you be so kind and | can you be so kind as to | may i kindly ask you to | \
    i kindly ask you to | i would kindly ask you to | might i ask you to | may i trouble you to | could i trouble you to | \
    can i trouble you to | could i bother you to | i must ask you to | i have to ask you to | i beg you to | \
    you are kindly requested to | i request that you | i request you to | i would be glad if you could | \
    i would be glad if you would | i would be happy if you could | i would be pleased if you could | i would be thankful if you could | \
    i would be grateful if you would | it would be kind of you to | it would be kind if you could | it would be good if you could | \
    it would help if you could | it would help me if you could | it would be helpful if you could | can you please | \
    do you think you can | would it be ok if you | could you go ahead and | your task is to | your job is to | \
    you are to | you shall | we would like you to | we want you to | we need you to | i expect you to | i wish you to | \
    i wish you would | i hope you can | i was hoping you can | any chance you would | is there any chance you can";

/// Desires whose object is the thing itself: "I want the logs".
pub(super) const DESIRE_FRAMES: &str = "\
    i want | i need | i would like | i would love | i would prefer | i prefer | we want | we need | we \
    would like | can i have | could i have | may i have | can i get | could i get | can i see | could i \
    see | may i see | can we see | could we see | can i look at | could i look at | let me see | let me \
    have | let me know | let me look at | i only want | i want to see | i would like to see | i need to \
    see | want | need | can i take a look at | i am after | i am looking for | i feel like | how about | \
    what about | i fancy | can i check | could i check | can i read | can we have | can we get | may we \
    have | can we look at | can we check | could we have | may we see | could we get | i would rather have | i would rather | i would much rather have | i would sooner have | \
    we would rather have | i would prefer to have | i would like to have | i want to have | i would love to have | \
    i need to have | lets have | let us have | can you have | i could use | i could do with | we could use | i wish for | \
    i desire | i require | we require | i am missing | may i get | may i look at | may i read | i would welcome | could we look at \
    | can i please have | could i please have | can i please see | may i please see";

/// Frames of advice, ability and supposition: whatever they hold is never ordered.
pub(super) const ADVICE_FRAMES: &str = "\
    should i | should we | should you | shall i | shall we | can i | could i | may i | might i | must i \
    | do i need | do i have to | do we need | do we have to | would i | will i | am i able | am i \
    allowed | are we able | are we allowed | are you able | are you allowed | are you capable | do you \
    have to | do you need to | do you want to | do you think | do you recommend | do you suggest | would \
    you recommend | would you suggest | would you advise | would you rather | would you say | would you \
    ever | will you ever | can you ever | is it safe | is it ok | is it okay | is it fine | is it a good \
    | is it good | is it bad | is it a bad | is it wise | is it smart | is it worth | is it necessary | \
    is it possible | is it dangerous | is it risky | is it alright | is it advisable | is it better | is \
    it best | is it recommended | is it harmful | is it time | is it allowed | is it ever | is it normal \
    | is it a problem | is there a way | is there any way | is there a risk | is there any risk | is \
    there a danger | is there harm | is there any harm | is there a need | is there any need | is there \
    any point | is there a point | is there a reason | is there any reason | is there a button | is \
    there a command | are there any risks | is now a good time | is this a good time | would it | will \
    it | could it | might it | would that | will that | would there | will there | what happens | what \
    would happen | what will happen | what could happen | what might happen | what breaks | what would \
    break | what will break | what if | what does it do | what do you think | what would you | what is \
    the best way | what is the right way | what is the safest way | what is the point | what is the risk \
    | what is the danger | what is the difference | what is the effect | what is the command | what is \
    involved | what else | what are the consequences | what are the risks | what depends | what should | \
    what do i | which should | which app should | which apps should | how do | how can | how could | how \
    would | how should | how to | how safe | how risky | how bad | how come | how dangerous | how long \
    does | how long would | how long will | how long should | why | when should | when would | when will \
    | when can | when do | who should | where do i | where can i | where should | tell me how to | show \
    me how to | teach me | tell me what happens | tell me what would | tell me why | tell me whether i \
    should | tell me if i should | advise | suppose | imagine | hypothetically | in theory | \
    theoretically | say i | worth | any harm | any risk | any danger | any reason | any downside | any \
    point | any problem if | any issue if | ok to | okay to | safe to | fine to | good idea | bad idea | \
    would be wise | might be wise | wise to | i wonder whether i should | i wonder if i should | \
    thinking of | thinking about | considering | debating | tempted to | not sure if | not sure whether \
    | unsure | pros and cons | if i | if we | if you | if someone | dare | wondering about | recommend | \
    how does one";

/// The same, wherever they stand.
pub(super) const ADVICE_ANYWHERE: &str = "\
    should i | should we | shall i | shall we | safe to | ok to | okay to | fine to | alright to | good \
    idea | bad idea | worth | how to | what happens | what would happen | any harm | wise to | wise idea \
    | what if | do you think | would it | better to | best to | how do i | how do you | how can i | how \
    would i | whether i should | if i should | if i | if we | if you | if someone | recommended to | or \
    should | dangerous to | risky to | necessary to | thinking of | thinking about | tempted to | was \
    going to | were going to | might want to | makes sense to | make sense to | is it time | was \
    thinking | were thinking | better | worse | healthier | nicer | safer | prettier | overrated | best | worthwhile | brilliant idea | great idea | genius | clever idea | what could go wrong | \
    what could possibly go wrong | wonderful idea | terrible idea | stupid idea";

/// Where a new clause gives the reason or an aside.
pub(super) const REASONS: &str = "\
    because | since it | since i | since the | since we | since that | since they | since nobody | as it \
    | as i | as we | as they | as nobody | so that | so i | so we | so it | so my | so the | until | \
    till | which is | who is | in order to | given that | seeing as | seeing that | considering it | \
    considering that | due to | thanks to | even though | although | though | otherwise | or else | \
    cause it | cause i | because of | before it | before i | before we | before my | before they";

/// Asking what things are in general, which no tool knows.
pub(super) const GENERAL: &str = "explain | how does | define | what does a | what does an | what is the difference | what is a | what is an | what are the benefits \
    | teach me | what is the meaning | tell me about the history | what do you think | who invented | translate";

/// Asking whether something was done.
pub(super) const PAST_FRAMES: &str = "\
    what does | what do | does | did you | have you | had you | did i | have i | did we | have we | did \
    someone | did anyone | did anybody | did somebody | has someone | has anyone | has anybody | has \
    somebody | who | were you | was it you | how many times | are you restarting | are you stopping | \
    are you starting | are you going | do you";

/// Words that forbid.
pub(super) const NEGATIONS: &str = "\
    not | never | no | without | instead of | rather than | no need | avoid | refrain | leave | neither \
    | nor | hold off | cancel | forget | keep | abort | nevermind | never mind | stay | except | apart \
    from | besides | other than | unless | but for | anything but | nothing | none | stop trying | undo \
    | revert | scrap that | hands off | prevent | ignore | skip | lest | against | nobody";

/// Someone is reported to say what follows.
pub(super) const REPORTS: &str = "\
    says | said | say to | say that | say i | told | tells | telling | wrote | writes | asks me | asked \
    me | asks you | asked you | wants me | wants you | suggests | suggested | recommends | recommended | \
    advises | advised | claims | claimed | mentions that | according to | instructs | instructed | \
    instructions | warns | warned | insists | demands | quote | the docs | the manual | the guide | the \
    readme | printed | shouted | begs | translate | spell | repeat after | the word | the phrase | the \
    sentence | the command | what does | saying | whispered | replied | thinks | it said | they say | \
    people say | someone said | wants | reported | heard | rumour | rumor | poem | joke | haiku | \
    limerick | essay | tweet | draft | compose | pretend | roleplay | simulate | act as | reads";

/// Something must come first, or a time must come, before it is wanted.
pub(super) const LATER: &str = "\
    if | when | whenever | unless | once it | once the | once that | once they | once i | once we | once \
    you | as soon as | in case | after | before the | before midnight | before noon | before dinner | \
    before bed | before lunch | before you | before that | every day | every night | every hour | every \
    morning | every evening | every week | every month | every time | every minute | every few | every \
    other | every so often | every monday | every sunday | every saturday | every friday | every \
    midnight | each day | each night | each time | each morning | each evening | each hour | each week | \
    every weekend | each weekend | every now | every second | every half | every boot | every reboot | \
    tomorrow | tonight | later | daily | nightly | weekly | hourly | monthly | at night | at midnight | \
    midnight | at noon | noon | in the morning | in the evening | on monday | on tuesday | on wednesday \
    | on thursday | on friday | on saturday | on sunday | monday | tuesday | wednesday | thursday | \
    friday | saturday | sunday | next week | next time | next month | automatically | eventually | \
    someday | some day | soon | always | from time to time | regularly | periodically | o clock | oclock \
    | next boot | on boot | at boot | on startup | in a minute | in an hour | in a few | in a bit | in a \
    while | in half | schedule | at dawn | at dusk | at sunrise | at sunset | at bedtime | at dinner | in the night | \
    in the afternoon | during the night | by tomorrow | by tonight | one day | sometime | in the future | in future | cron | timer | provided | providing | assuming | as long as | \
    the moment | the minute | the next | should it | should the | this weekend | this evening | this \
    afternoon | constantly | upon | overnight | depending | eg | whilst | end of";

/// Conditions of a look: "tell me if it is running".
pub(super) const EMBEDDED: &str = "\
    tell me if | tell me whether | tell me when | let me know if | let me know whether | let me know \
    when | check if | check whether | see if | see whether | know if | know whether | find out if | find \
    out whether | wonder if | wonder whether | wondering if | wondering whether | look if | look whether \
    | verify if | verify whether | idea if | idea whether | sure if | sure whether | say if | say \
    whether | tell if | confirm if | confirm whether | clue if | clue whether | me if | me whether | \
    chance if | ask if | figure out if | figure out whether";

/// What leads into a question that stands inside: "I wonder" before "what", "which", "if".
pub(super) const OPENERS: &str = "\
    i wonder | i am wondering | i was wondering | wondering | i would like to know | i would love to know | \
    i want to know | i need to know | i have to know | i must know | i would be glad to know | i would be \
    happy to know | i would be interested to know | i would be interested in knowing | i am interested in \
    knowing | i am interested in | i am interested to know | i would be curious to know | i am curious | i \
    am curious to know | curious | it would be good to know | it would be nice to know | it would help to \
    know | it would be great to know | it would be interesting to know | it interests me | may i ask | may \
    i know | might i ask | might i know | could i ask | can i ask | let me ask | can you tell me | could you \
    tell me | would you tell me | will you tell me | can you tell | could you tell | please tell me | tell \
    me | do you have any idea | do you have an idea | have you any idea | have you got any idea | do you \
    remember | do you recall | can you see | can you say | could you say | can you find out | could you \
    find out | could you check | can you check | please check | i can not remember | i do not remember | i \
    can not recall | i do not recall | i do not know | i do not even know | i have no idea | i have no clue \
    | no idea | no clue | i forgot | i have forgotten | i keep forgetting | i am not sure | i am unsure | \
    not sure | i never know | remind me | would you know | would you happen to know | can you remind me | \
    could you remind me | can you look up | could you look up | can you explain to me | somebody asked me | \
    a friend asked me | i am trying to find out | i would like to find out | i want to find out | i need to \
    find out | i am trying to figure out | i want to see | i would like to see | i am supposed to find out | \
    does anyone know | does anybody know | who knows | question | my question is | the question is | \
    quick question | i would be grateful to know | i would appreciate knowing | i would like to be told | \
    i would like you to tell me | i want you to tell me | i need you to tell me | i should know | \
    it is important to know | please say | say | i would like to learn | i would like to hear | i would love to hear | i would love to be told | i would love to learn";

/// All at once, or no particular one.
pub(super) const SWEEPING: &str = "\
    everything | all | every | each | any | anything | everyone | all of them | whole lot | the lot | \
    the rest | others | other | an | a | another | some | something | whichever | whatever | apps | \
    services | containers | applications | programs | processes | daemons | stuff | things";

/// Words that point back.
pub(super) const PRONOUNS: &str = "it that this them those these they one its their same there both thing";

/// Pointing at several.
pub(super) const PLURAL_PRONOUNS: &str = "them those these they their both";

/// What leads into the words that are searched for.
pub(super) const INTRODUCERS: &str = "\
    for the word | for the words | for the phrase | in the name | with the name | with the word | with \
    the words | containing the word | containing the words | containing | contains | contain | called | \
    named | mentioning | mentions | mention | matching | titled | labelled | labeled | regarding | \
    concerning | about | for | on the subject of | with the text | relating to | related to | to do with \
    | that say | that says | entitled | saying | having";

/// Words for numbers, up to what people spell.
pub(super) const NUMBERS: &[(&str, u64)] = &[
    ("two", 2),
    ("three", 3),
    ("four", 4),
    ("five", 5),
    ("six", 6),
    ("seven", 7),
    ("eight", 8),
    ("nine", 9),
    ("ten", 10),
    ("eleven", 11),
    ("twelve", 12),
    ("thirteen", 13),
    ("fourteen", 14),
    ("fifteen", 15),
    ("sixteen", 16),
    ("seventeen", 17),
    ("eighteen", 18),
    ("nineteen", 19),
    ("twenty", 20),
    ("thirty", 30),
    ("forty", 40),
    ("fourty", 40),
    ("fifty", 50),
    ("sixty", 60),
    ("seventy", 70),
    ("eighty", 80),
    ("ninety", 90),
    ("hundred", 100),
    ("thousand", 1000),
    ("dozen", 12),
];

/// States that are wanted, and the verbs that lead to them.
pub(super) const STATES: &[(&str, &str)] = &[
    ("off", "stop"),
    ("down", "stop"),
    ("on", "start"),
    ("up", "start"),
    ("running", "start"),
    ("back", "start"),
];

/// Verbs that ask what may or will be.
pub(super) const MODALS: [&str; 9] =
    ["can", "could", "should", "may", "might", "must", "will", "would", "shall"];

/// Verbs with which a question begins.
pub(super) const AUXILIARIES: &str =
    "is are was were has have had did does do am will would can could should shall may might must";

/// Words with which a statement begins.
pub(super) const SUBJECTS: &str =
    "i we it he she they this that there my the someone somebody everything nothing something nobody";

/// Words with which a condition begins.
pub(super) const WAITS: &str =
    "once unless if when whenever after until till before while provided assuming supposing should";

/// Verbs that tell how things are or were.
pub(super) const TELLS: &str = "is are was were has have had am will would keeps seems looks does did can went feels got gets crashed died \
    hangs broke became started stopped restarted hurt runs acts goes should must might may could";

/// The places in a list of choices.
pub(super) const ORDINALS: &[(&str, usize)] = &[
    ("first", 0),
    ("second", 1),
    ("third", 2),
    ("fourth", 3),
    ("fifth", 4),
    ("1st", 0),
    ("2nd", 1),
    ("3rd", 2),
    ("1", 0),
    ("2", 1),
    ("3", 2),
    ("4", 3),
    ("one", 0),
    ("two", 1),
    ("three", 2),
    ("former", 0),
    ("latter", 1),
    ("last", usize::MAX),
];

/// Whole English words that lie within a slip of a word that matters here, one space between them: none of them is ever
/// taken for a slip ("hurt" for "hunt", "smart" for "start").
pub(super) const COMMON: &str = include_str!("not_slips.txt");

/// Names of programs that people may also speak of.
pub(super) const OTHER_NAMES: &str = "umbrel electrum fulcrum photoprism plex emby specter thunderhub btcpay rtl robosats gitea pihole adguard \
    syncthing grafana jellyseerr jellycon nextdns nextjs immortal bitwarden start9 lndhub lnbits lndg electrumx homebridge homepage";

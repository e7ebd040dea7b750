"""Three radios on one air in memory: full MeshCore nodes (openhop-core), each with a companion endpoint on loopback. The
door under test has the first; the official client (meshcore) has the other two, and says what it is told to.

Commands come as lines of JSON, what happens goes out the same way. Nothing here knows the door.
"""

import asyncio
import json
import logging
import sys

from meshcore import EventType, MeshCore
from openhop_core.companion.companion_radio import CompanionRadio
from openhop_core.companion.frame_server import CompanionFrameServer
from openhop_core.hardware.base import LoRaRadio
from openhop_core.protocol import LocalIdentity

# What a packet's header says it is.
KINDS = {2: "text", 3: "ack", 8: "ack"}


def tell(**what):
    print(json.dumps(what), flush=True)


class Air:
    """Carries packets with a delay; loses, repeats and keeps them as it is told."""

    def __init__(self):
        self.radios, self.kept = [], []
        self.lose = {}  # (sender, kind) -> how many more
        self.twice = False

    def carry(self, sender, packet):
        kind = KINDS.get((packet[0] >> 2) & 0x0F, "other")
        lost = self.lose.get((sender.name, kind), 0)
        tell(on_air=sender.name, kind=kind, bytes=len(packet), lost=bool(lost))
        if lost:
            self.lose[(sender.name, kind)] = lost - 1
            return
        if sender.name != "home":
            self.kept.append(packet)
        # The second copy overtakes what comes after the first.
        for delay in (0.02, 0.35) if self.twice else (0.02,):
            for radio in self.radios:
                if radio is not sender:
                    radio.hears(packet, delay)


class Radio(LoRaRadio):
    spreading_factor, bandwidth, coding_rate, frequency = 8, 62500, 8, 869618000
    tx_power, preamble_length = 14, 16

    def __init__(self, air, name):
        self.air, self.name, self.callback = air, name, None
        air.radios.append(self)

    def begin(self):
        return True

    async def send(self, data, **_):
        self.air.carry(self, bytes(data))
        return {"airtime_ms": 10}

    def hears(self, packet, delay):
        if self.callback:
            asyncio.get_running_loop().call_later(delay, self.callback, packet, -60, 9.5)

    async def wait_for_rx(self):
        await asyncio.sleep(3600)

    def set_rx_callback(self, callback):
        self.callback = callback

    def sleep(self):
        pass

    def get_last_rssi(self):
        return -60

    def get_last_snr(self):
        return 9.5


async def node(air, name):
    identity = LocalIdentity()
    companion = CompanionRadio(Radio(air, name), identity, node_name=name)
    await companion.start()
    key = identity.get_public_key().hex()
    server = CompanionFrameServer(companion, key[:2], port=0, bind_address="127.0.0.1")
    await server.start()
    port = server._server.sockets[0].getsockname()[1]
    return companion, {"key": key, "port": port}, server


async def client(name, port):
    radio = await MeshCore.create_tcp("127.0.0.1", port)

    async def heard(event):
        tell(who=name, heard=event.payload["text"])

    radio.subscribe(EventType.CONTACT_MSG_RECV, heard)
    await radio.start_auto_message_fetching()
    return radio


async def say(name, radio, to, text, attempts):
    contacts = (await radio.commands.get_contacts()).payload
    sent = await radio.commands.send_msg_with_retry(contacts[to], text, max_attempts=attempts, timeout=1.5)
    tell(who=name, said=text, acknowledged=sent is not None)


async def main():
    logging.disable(logging.CRITICAL)
    air = Air()
    nodes = {name: await node(air, name) for name in ("home", "peer", "denied")}
    home = nodes["home"][1]
    clients = {name: await client(name, nodes[name][1]["port"]) for name in ("peer", "denied")}
    for companion, _, _ in nodes.values():
        await companion.advertise()
        await asyncio.sleep(0.2)
    tell(ready={name: facts for name, (_, facts, _) in nodes.items()})

    lines = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    saying = set()
    while line := await lines.readline():
        command = json.loads(line)
        match command["do"]:
            case "say":
                name = command["who"]
                task = say(name, clients[name], home["key"], command["text"], command.get("attempts", 4))
                saying.add(asyncio.ensure_future(task))
            case "lose":
                air.lose[(command["from"], command["kind"])] = command["count"]
            case "twice":
                air.twice = command["is"]
            case "again":
                for packet in list(air.kept):
                    air.radios[0].hears(packet, 0)
                tell(again=len(air.kept))
            case "evict":
                # Another program takes the radio.
                _, writer = await asyncio.open_connection("127.0.0.1", home["port"])
                writer.write(b"<\x01\x00\x0a")
                await writer.drain()
                tell(evicted=True)


asyncio.run(main())

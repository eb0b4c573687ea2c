// foxglove.cjs - the web front as npm's @foxglove/ws-protocol client sees it.  argv: the folder of the packages, port
// Prints TAP.
const path = require("node:path");
const { createRequire } = require("node:module");
const load = createRequire(path.join(path.resolve(process.argv[2]), "package.json"));
const { FoxgloveClient } = load("@foxglove/ws-protocol");
const { parse } = load("@foxglove/rosmsg");
const { MessageReader, MessageWriter } = load("@foxglove/rosmsg2-serialization");
const WebSocket = load("ws");

const URL = `ws://127.0.0.1:${process.argv[3]}/`;
const PATIENCE_MS = 60000;

function equal(got, wanted) {
  if (JSON.stringify(got) !== JSON.stringify(wanted)) {
    throw new Error(`got ${JSON.stringify(got)}, wanted ${JSON.stringify(wanted)}`);
  }
}

/** A client with what it was told: channels by topic, services by name, events to wait for. */
class Peer {
  constructor(protocols = [FoxgloveClient.SUPPORTED_SUBPROTOCOL]) {
    this.channels = new Map();
    this.services = new Map();
    this.waiting = [];
    this.client = new FoxgloveClient({ ws: new WebSocket(URL, protocols) });
    this.client.on("advertise", (list) => list.forEach((channel) => this.channels.set(channel.topic, channel)));
    this.client.on("advertiseServices", (list) => list.forEach((service) => this.services.set(service.name, service)));
    for (const event of ["open", "error", "serverInfo", "advertise", "advertiseServices", "message", "time", "parameterValues",
      "serviceCallResponse", "serviceCallFailure", "connectionGraphUpdate", "status"]) {
      this.client.on(event, (value) => this.heard(event, value));
    }
  }

  heard(event, value) {
    this.waiting = this.waiting.filter((wait) => !(wait.event === event && wait.wanted(value) && (wait.done(value), true)));
  }

  until(event, wanted = () => true) {
    return new Promise((resolve, reject) => {
      const limit = setTimeout(() => reject(new Error(`no ${event} came`)), PATIENCE_MS);
      this.waiting.push({ event, wanted, done: (value) => { clearTimeout(limit); resolve(value); } });
    });
  }

  async ready() {
    await Promise.all([this.until("serverInfo").then((info) => { this.info = info; }), this.until("advertiseServices")]);
    return this;
  }

  subscribe(topic) {
    const channel = this.channels.get(topic);
    if (channel == undefined) {
      throw new Error(`there is no ${topic}`);
    }
    return this.client.subscribe(channel.id);
  }

  /** The next message of a topic, decoded by what the channel says. */
  async next(topic, wanted = () => true) {
    const channel = this.channels.get(topic);
    const id = this.subscribe(topic);
    const read = decoder(channel);
    let value;
    await this.until("message", (message) => message.subscriptionId === id && wanted(value = read(message.data)));
    this.client.unsubscribe(id);
    return value;
  }

  close() {
    this.client.close();
  }
}

function decoder(channel) {
  if (channel.encoding === "json") {
    JSON.parse(channel.schema);
    return (data) => JSON.parse(new TextDecoder().decode(data));
  }
  const reader = new MessageReader(parse(channel.schema, { ros2: true }));
  return (data) => reader.readMessage(data);
}

function json(value) {
  return new Uint8Array(new TextEncoder().encode(JSON.stringify(value)));
}

const BASE = "/6665/position2d/0";

async function the_server_introduces_itself(peer) {
  equal(["clientPublish", "services", "parameters", "parametersSubscribe", "connectionGraph", "time"]
    .filter((name) => !peer.info.capabilities.includes(name)), []);
  equal(peer.info.supportedEncodings, ["json", "cdr"]);
}

async function data_comes_as_JSON(peer) {
  const scan = await peer.next("/6665/laser/0/SCAN");
  equal(scan.ranges.length, scan.ranges_count);
  equal(typeof (await peer.next(`${BASE}/STATE`)).pos.px, "number");
}

async function data_comes_as_ROS_2_has_it(peer) {
  const scan = await peer.next("/ros/6665/laser/0/SCAN");
  equal([scan.header.frame_id, scan.ranges.length > 100, scan.angle_max > scan.angle_min], ["6665/laser:0", true, true]);
  const odometry = await peer.next(`/ros${BASE}/STATE`);
  const { x, y, z, w } = odometry.pose.pose.orientation;
  equal([odometry.header.frame_id, odometry.child_frame_id, odometry.pose.covariance.length], ["6665/odom", "6665/base", 36]);
  equal(Math.abs(x * x + y * y + z * z + w * w - 1) < 1e-9, true);
  const frames = await peer.next("/tf");
  equal(frames.transforms.some((frame) => frame.child_frame_id === "6665/laser:0"), true);
}

async function a_map_comes_whole_and_to_everybody_who_subscribes(peer) {
  const service = peer.services.get("/6665/map/0/req/GET_INFO");
  const answer = peer.until("serviceCallResponse", (response) => response.callId === 9);
  peer.client.sendServiceCallRequest({ serviceId: service.id, callId: 9, encoding: "json", data: json({}) });
  const info = JSON.parse(new TextDecoder().decode((await answer).data));
  const grid = await peer.next("/ros/6665/map/0/INFO");
  equal([grid.info.width, grid.info.height, grid.data.length, grid.header.frame_id], [info.width, info.height, info.width * info.height, "6665/map"]);
  equal([Math.abs(grid.info.resolution - info.scale) < 1e-6, grid.info.origin.position.x === info.origin.px], [true, true]);
  equal([...new Set(grid.data)].every((cell) => cell >= -1 && cell <= 100), true);
  // The room has walls around it and is free inside.
  const at = (x, y) => grid.data[Math.floor((y - info.origin.py) / info.scale) * info.width + Math.floor((x - info.origin.px) / info.scale)];
  equal([at(0, 1), grid.data.includes(100)], [0, true]);
  const other = await new Peer().ready();
  equal((await other.next("/ros/6665/map/0/INFO")).data.length, grid.data.length);
  other.close();
}

async function a_map_comes_whole_in_JSON_too(peer) {
  const grid = await peer.next("/ros/6665/map/0/INFO");
  const plain = await peer.next("/6665/map/0/GRID");
  equal([plain.info.width, plain.info.height, plain.cells.length], [grid.info.width, grid.info.height, grid.data.length]);
  equal(plain.cells.every((cell, i) => cell === grid.data[i]), true);
  equal([Math.abs(plain.info.scale - grid.info.resolution) < 1e-6, plain.info.origin.px === grid.info.origin.position.x], [true, true]);
  const other = await new Peer().ready();
  equal((await other.next("/6665/map/0/GRID")).cells.length, plain.cells.length);
  other.close();
}

async function JSON_and_CDR_say_the_same(peer) {
  const plain = await peer.next(`${BASE}/STATE`);
  const ros = await peer.next(`/ros${BASE}/STATE`, (value) => value.header.stamp.sec >= 0);
  equal([Math.abs(plain.pos.px - ros.pose.pose.position.x) < 2, Math.abs(plain.pos.py - ros.pose.pose.position.y) < 2], [true, true]);
}

async function every_definition_of_ROS_2_can_be_read(peer) {
  let count = 0;
  for (const channel of peer.channels.values()) {
    if (channel.encoding === "cdr") {
      new MessageReader(parse(channel.schema, { ros2: true }));
      count++;
    } else {
      JSON.parse(channel.schema);
    }
  }
  equal(count > 4, true);
}

/** What the readers of Foxglove understand: types alone, members in every object, no references. Gives the paths of what is not. */
function beyond(schema, path, top = true) {
  if (Array.isArray(schema.oneOf)) {
    return schema.oneOf.every((one) => typeof one.const === "number" && typeof one.title === "string") ? [] : [path];
  }
  if (schema.type === "object" && typeof schema.properties === "object") {
    return Object.entries(schema.properties).flatMap(([name, member]) => beyond(member, `${path}.${name}`, false));
  }
  if (schema.type === "array" && !top) {
    return schema.items.type === "array" ? [path] : beyond(schema.items, `${path}[]`, false);
  }
  return !top && ["boolean", "string", "number", "integer"].includes(schema.type) ? [] : [path];
}

async function every_schema_of_JSON_is_one_that_Foxglove_reads(peer) {
  const channels = [...peer.channels.values()].filter((channel) => channel.encoding === "json");
  const services = [...peer.services.values()];
  equal([channels.length > 10, services.length > 10], [true, true]);
  equal(channels.flatMap((channel) => beyond(JSON.parse(channel.schema), channel.topic)), []);
  equal(services.flatMap((service) => [service.requestSchema, service.responseSchema, service.request.schema, service.response.schema]
    .flatMap((schema) => beyond(JSON.parse(schema), service.name))), []);
  const scan = JSON.parse(peer.channels.get("/6665/laser/0/SCAN").schema);
  equal([scan.properties.ranges.items.type, scan.properties.ranges.unit], ["number", "m"]);
}

async function a_topic_of_nobody_is_told_when_something_is_published(peer) {
  const told = [];
  peer.client.on("status", (status) => told.push(status));
  const id = peer.client.advertise({ topic: "/initialpose", encoding: "cdr", schemaName: "geometry_msgs/msg/PoseWithCovarianceStamped" });
  await peer.next(`${BASE}/STATE`);
  equal(told, []);
  const status = peer.until("status");
  peer.client.sendMessage(id, json({}));
  equal([(await status).level, (await status).message.includes("no device takes commands on this topic")], [2, true]);
  peer.client.unadvertise(id);
  await peer.next(`${BASE}/STATE`);
  equal(told.length, 1);
}

async function a_published_command_moves_the_robot(peer) {
  const id = peer.client.advertise({ topic: `${BASE}/cmd/VEL`, encoding: "json", schemaName: "troupe.position2d_cmd_vel" });
  peer.client.sendMessage(id, json({ vel: { pa: 0.5 }, state: 1 }));
  await peer.next(`${BASE}/STATE`, (state) => state.vel.pa > 0.3);
  peer.client.unadvertise(id);
  await peer.next(`${BASE}/STATE`, (state) => state.vel.pa === 0);
}

async function a_Twist_moves_it_in_CDR_and_in_JSON(peer) {
  const twist = { linear: { x: 0, y: 0, z: 0 }, angular: { x: 0, y: 0, z: -0.5 } };
  const vector = "\n================================================================================\nMSG: geometry_msgs/Vector3\nfloat64 x\nfloat64 y\nfloat64 z";
  const writer = new MessageWriter(parse(`geometry_msgs/Vector3 linear\ngeometry_msgs/Vector3 angular${vector}`, { ros2: true }));
  for (const encoding of ["cdr", "json"]) {
    const id = peer.client.advertise({ topic: `${BASE}/cmd_vel`, encoding, schemaName: "geometry_msgs/msg/Twist" });
    peer.client.sendMessage(id, encoding === "cdr" ? writer.writeMessage(twist) : json(twist));
    await peer.next(`${BASE}/STATE`, (state) => state.vel.pa < -0.3);
    peer.client.unadvertise(id);
    await peer.next(`${BASE}/STATE`, (state) => state.vel.pa === 0);
  }
}

async function services_answer_and_fail(peer) {
  const call = async (name, callId, value) => {
    const service = peer.services.get(name);
    const answer = Promise.race([peer.until("serviceCallResponse", (response) => response.callId === callId),
      peer.until("serviceCallFailure", (failure) => failure.callId === callId)]);
    peer.client.sendServiceCallRequest({ serviceId: service.id, callId, encoding: "json", data: json(value) });
    const got = await answer;
    return got.op === "serviceCallFailure" ? got.message : JSON.parse(new TextDecoder().decode(got.data));
  };
  equal((await call(`${BASE}/req/GET_GEOM`, 1, {})).size.sl > 0, true);
  equal((await call("/server/req/STATISTICS", 2, {})).devices_count > 5, true);
  equal((await call(`${BASE}/req/GET_GEOM`, 3, {})).size.sl > 0, true);
  equal(String(await call(`${BASE}/req/SET_ODOM`, 4, { nothing: 1 })).includes("nothing"), true);
}

async function parameters_are_read_set_and_followed(peer) {
  const name = "/6665/laser/0/name";
  peer.client.getParameters([name, `${BASE}/model`], "first");
  const first = await peer.until("parameterValues", (values) => values.id === "first");
  equal(first.parameters.some((parameter) => parameter.name === `${BASE}/model`), true);
}

async function the_world_tells_its_time(peer) {
  const first = await peer.until("time");
  const second = await peer.until("time");
  equal(second.timestamp > first.timestamp, true);
}

async function the_graph_shows_who_reads_what(peer) {
  peer.subscribe("/6665/laser/0/SCAN");
  peer.client.subscribeConnectionGraph();
  const graph = await peer.until("connectionGraphUpdate");
  equal(graph.publishedTopics.some((topic) => topic.name === `${BASE}/STATE`), true);
  equal(graph.subscribedTopics.some((topic) => topic.name === "/6665/laser/0/SCAN"), true);
}

async function a_hundred_clients_get_the_same(peer) {
  const peers = await Promise.all(Array.from({ length: 100 }, () => new Peer().ready()));
  const scans = await Promise.all(peers.map((one, i) => one.next(i % 2 ? "/6665/laser/0/SCAN" : "/ros/6665/laser/0/SCAN")));
  equal(scans.every((scan) => scan.ranges.length === scans[0].ranges.length), true);
  peers.forEach((one) => one.close());
}

async function main() {
  const tests = [the_server_introduces_itself, data_comes_as_JSON, data_comes_as_ROS_2_has_it,
    a_map_comes_whole_and_to_everybody_who_subscribes, a_map_comes_whole_in_JSON_too, JSON_and_CDR_say_the_same,
    every_definition_of_ROS_2_can_be_read, every_schema_of_JSON_is_one_that_Foxglove_reads,
    a_topic_of_nobody_is_told_when_something_is_published, a_published_command_moves_the_robot, a_Twist_moves_it_in_CDR_and_in_JSON,
    services_answer_and_fail, parameters_are_read_set_and_followed, the_world_tells_its_time, the_graph_shows_who_reads_what,
    a_hundred_clients_get_the_same];
  let failed = 0;
  console.log(`1..${tests.length}`);
  for (const [i, test] of tests.entries()) {
    const peer = new Peer();
    try {
      await peer.ready();
      await test(peer);
      console.log(`ok ${i + 1} - ${test.name.replaceAll("_", " ")}`);
    } catch (error) {
      failed++;
      console.log(`not ok ${i + 1} - ${test.name.replaceAll("_", " ")}`);
      console.error(error);
    }
    peer.close();
  }
  process.exit(failed > 0 ? 1 : 0);
}

main();

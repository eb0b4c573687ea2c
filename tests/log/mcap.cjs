// mcap.cjs - recordings as the reader of npm's @mcap/core reads them.  argv: the folder of the packages
// Standard input: one path of a file in each line. Standard output: one JSON object in each line: what the indexed and what
// the streaming reader gave, or the error of each.
const crypto = require("node:crypto");
const fs = require("node:fs");
const path = require("node:path");
const { createRequire } = require("node:module");
const load = createRequire(path.join(path.resolve(process.argv[2]), "package.json"));
const { McapIndexedReader, McapStreamReader } = load("@mcap/core");
const { loadDecompressHandlers } = load("@mcap/support");

/** What was read: messages and a sum of their bytes for each topic, and whether the times are in order. */
class Found {
  constructor() {
    this.messages = 0;
    this.topics = {};
    this.sums = {};
    this.inOrder = true;
    this.last = 0n;
    this.schemas = {};
    this.metadata = 0;
  }

  add(channel, schema, message) {
    const { topic } = channel;
    this.messages++;
    this.topics[topic] = (this.topics[topic] ?? 0) + 1;
    this.inOrder = this.inOrder && message.logTime >= this.last;
    this.last = message.logTime;
    this.sums[topic] ??= crypto.createHash("sha256");
    this.sums[topic].update(`${message.logTime} ${message.publishTime} ${message.sequence} `);
    this.sums[topic].update(message.data);
    if (channel.messageEncoding === "json") {
      const value = JSON.parse(new TextDecoder().decode(message.data));
      const wanted = JSON.parse(new TextDecoder().decode(schema.data)).required ?? [];
      const missing = wanted.filter((name) => !(name in value));
      if (missing.length > 0) {
        throw new Error(`${topic} misses ${missing}`);
      }
    }
    this.schemas[topic] = schema.encoding;
  }

  told() {
    const sums = Object.fromEntries(Object.entries(this.sums).map(([topic, sum]) => [topic, sum.digest("hex")]));
    return { messages: this.messages, topics: this.topics, sums, inOrder: this.inOrder, schemas: this.schemas, metadata: this.metadata };
  }
}

async function indexed(bytes, decompressHandlers) {
  const readable = {
    size: async () => BigInt(bytes.length),
    read: async (offset, size) => new Uint8Array(bytes.subarray(Number(offset), Number(offset + size))),
  };
  const reader = await McapIndexedReader.Initialize({ readable, decompressHandlers });
  const found = new Found();
  for await (const message of reader.readMessages()) {
    const channel = reader.channelsById.get(message.channelId);
    found.add(channel, reader.schemasById.get(channel.schemaId), message);
  }
  for await (const metadata of reader.readMetadata()) {
    found.metadata += metadata.name.startsWith("troupe") ? 1 : 0;
  }
  if (BigInt(found.messages) !== reader.statistics.messageCount) {
    throw new Error(`the summary tells of ${reader.statistics.messageCount} messages, there are ${found.messages}`);
  }
  return found.told();
}

async function streamed(bytes, decompressHandlers) {
  const reader = new McapStreamReader({ decompressHandlers, validateCrcs: true });
  const found = new Found();
  const channels = new Map();
  const schemas = new Map();
  let ended = false;
  const take = () => {
    for (let record; (record = reader.nextRecord()) !== undefined;) {
      if (record.type === "Schema") {
        schemas.set(record.id, record);
      } else if (record.type === "Channel") {
        channels.set(record.id, record);
      } else if (record.type === "Message") {
        found.add(channels.get(record.channelId), schemas.get(channels.get(record.channelId).schemaId), record);
      } else if (record.type === "Metadata") {
        found.metadata += record.name.startsWith("troupe") ? 1 : 0;
      }
      ended = ended || record.type === "Footer";
    }
  };
  try {
    for (let at = 0; at < bytes.length; at += 65536) {
      reader.append(bytes.subarray(at, Math.min(at + 65536, bytes.length)));
      take();
    }
  } catch (error) {
    return { ...found.told(), ended: false, error: error.message };
  }
  return { ...found.told(), ended };
}

async function main() {
  const handlers = await loadDecompressHandlers();
  for (const name of fs.readFileSync(0, "utf8").split("\n").filter((line) => line !== "")) {
    const bytes = new Uint8Array(fs.readFileSync(name));
    const told = { indexed: await indexed(bytes, handlers).catch((error) => ({ error: error.message })), streamed: await streamed(bytes, handlers) };
    process.stdout.write(`${JSON.stringify(told)}\n`);
  }
}

main().catch((error) => {
  process.stderr.write(`${error.stack}\n`);
  process.exit(1);
});

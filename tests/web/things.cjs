// things.cjs - the Thing Descriptions of a server as node-wot, a program for things of any make, reads them.
//
//   NODE_PACKAGES=FOLDER node things.cjs URL [KEY]
const { createRequire } = require('node:module');
const { join } = require('node:path');

const need = createRequire(join(process.env.NODE_PACKAGES, 'package.json'));
const { Servient, Helpers } = need('@node-wot/core');
const { HttpClientFactory } = need('@node-wot/binding-http');
const [base, key] = process.argv.slice(2);

function equal(got, wanted) {
  if (JSON.stringify(got) !== JSON.stringify(wanted)) {
    throw new Error(`got ${JSON.stringify(got)}\nwanted ${JSON.stringify(wanted)}`);
  }
}

async function main() {
  const servient = new Servient();
  servient.addClientFactory(new HttpClientFactory());
  const wot = await servient.start();
  const all = await (await fetch(`${base}/.well-known/wot`)).json();
  equal(all.length, 3);
  const things = {};
  for (const description of all) {
    const { valid, errors } = Helpers.validateExposedThingInit(description);
    equal([description.title, valid, errors], [description.title, true, undefined]);
    if (key) {
      servient.addCredentials({ [description.id]: { token: key } });
    }
    things[description.title.split(':')[1]] = await wot.consume(description);
  }
  console.log('read');
  // Values are checked against their schemas by node-wot.
  const state = await (await things.aio.readProperty('STATE')).value();
  equal(state.value.voltages[0], 50);
  // A channel of the manifest by its name, with its unit.
  equal(await (await things.aio.readProperty('Light Sensor')).value(), 50);
  equal(things.aio.getThingDescription().properties['Light Sensor'].unit, '%');
  const channels = await (await things.experiment.invokeAction('GET_CHANNELS')).value();
  equal(channels.uuid, 'Troupe.Simulated.1');
  console.log('asked');
  // node-wot keeps the security of the first form that it uses: a thing of its own for those that need a key.
  const lab = await wot.consume(all.find((one) => one.title.includes(':experiment:')));
  await lab.invokeAction('SETUP', { name: 'a', text: 'ch1 every=10ms end=5' });
  await lab.invokeAction('LAUNCH');
  let now;
  do {
    now = await (await things.experiment.invokeAction('GET_STATE')).value();
  } while (now.phase !== 3);
  equal(now.samples, 5);
  console.log('measured');
  await servient.shutdown();
}

main().then(
  () => process.exit(0),
  (error) => {
    console.error(error.stack ?? error);
    process.exit(1);
  },
);

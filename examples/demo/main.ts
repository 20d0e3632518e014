import { runScenario, type DemoStep } from './scenario.js';
import { startDemoEnvironment, TIME_SCALE } from './environment.js';

/** `npm run demo [-- --json]`: a name's last days, from its registry to a webhook, a mailbox and a chat, on this machine only. */
const json = process.argv.includes('--json');
const print = (text: string) => {
  if (!json) console.log(text);
};

print(
  `Two registries, a name server, a webhook receiver, a chat and a mail relay on loopback; time runs ${TIME_SCALE} times as fast.`,
);
const stage = await startDemoEnvironment();
print(
  `Namewatch at ${stage.address} watches lapsing.demo (RDAP) and veteran.elder (WHOIS) every 5 minutes, here ${300 / TIME_SCALE} seconds.\n`,
);
try {
  await runScenario(stage, (scene) => console.log(json ? JSON.stringify(scene) : formatStep(scene)));
} finally {
  await stage.close();
}

function formatStep({ seconds, status, registry, move, webhook, mail, chat }: DemoStep): string {
  const head = `${seconds.toFixed(1).padStart(5)} s  ${status.padEnd(14)}  the registry says: ${registry}`;
  if (!webhook || !mail || !chat) return head;
  return `${head}
         ${move ?? ''}: webhook ${webhook.id}, signature ${webhook.signature}; mail "${mail.subject}"; chat "${chat.text}"`;
}

/** Checks Node's version before any import. On an old Node, an import would fail with an unclear message. */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 15)) {
  process.stderr.write(`Node 24.15 or newer is needed, this is ${process.version}: use "npm start"\n`);
  process.exit(1);
}

const { runCli: run } = await import('./cli/cli.js');
const exitCode = await run(process.argv.slice(2));
process.stdout.write('', () => process.exit(exitCode));

/** Entry of `npm run service`. The database driver crashes Node before 22, so it is loaded after the check. */
const [major = 0] = process.versions.node.split('.').map(Number);
if (major < 22) {
  process.stderr.write(`The reporting service needs Node 22 or newer, not ${process.versions.node}.\n`);
  process.exitCode = 2;
} else {
  const { runCommand } = await import('./run-command.ts');
  const exitCode = await runCommand(process.argv.slice(2));
  if (exitCode !== undefined) process.exitCode = exitCode;
}

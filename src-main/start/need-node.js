/*
 * In JavaScript that every Node since 14 runs: one that is too old would end with a stack trace at the first file of
 * TypeScript, and crashes in the module of the database.
 */
const { versions, features, stderr } = process;

/** Whether this Node runs Channelscope; where it doesn't, what to install has been said, and the process ends with 1. */
export const isNodeNewEnough = Boolean(features.typescript);

if (!isNodeNewEnough) {
  process.exitCode = 1;
  stderr.write(
    `Channelscope needs Node 22.18 or later, and this is ${versions.node}: install the LTS version from https://nodejs.org, then enter "npm ci" and the same command again.\n`,
  );
}

// Also runs on old versions of Node, to reject them.
import { readFileSync } from 'node:fs';

const { engines } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
const [major, minor] = engines.node.match(/\d+/g).map(Number);
const [currentMajor, currentMinor] = process.versions.node.split('.').map(Number);
if (currentMajor < major || (currentMajor === major && currentMinor < minor)) {
  console.error(
    `Node ${process.versions.node} is too old: Pilothouse needs ${engines.node}. Install a newer version, or run ./scripts/test, which installs one.`,
  );
  process.exit(1);
}

// npm runs this before its own scripts, on whatever Node the computer has.
import { canInstall, stopForOldNode } from './lib/node-version.mjs'

if (!canInstall(process.versions.node)) stopForOldNode()
// A dynamic import, because an older Node cannot parse the file and must get as far as the check.
void import('./lib/ensure.mjs')

// Runs before npm's own scripts, on whatever Node the computer has.
import { canInstall, stopForOldNode } from './lib/node-version.mjs'

if (!canInstall(process.versions.node)) stopForOldNode()
// Not by an import statement: an older Node cannot read it.
void import('./lib/ensure.mjs')

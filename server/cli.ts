#!/usr/bin/env node
import './process/node-version.ts'

// Not by an import statement, as in main.ts.
void import('./process/command-line.ts')

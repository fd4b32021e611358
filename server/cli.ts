#!/usr/bin/env node
import './process/first.ts'

// Not by an import statement, as in main.ts.
void import('./process/command-line.ts')

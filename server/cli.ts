#!/usr/bin/env node
import './process/first.ts'

// A dynamic import, for the reason in main.ts.
void import('./process/command-line.ts')

import './process/first.ts'

// Not by an import statement: a Node links all of those first, and one that is too old fails at
// that with a stack trace.
void import('./process/start.ts')

import './process/first.ts'

// A dynamic import, because Node links all static imports first, and a Node that is too old would
// fail there with a stack trace.
void import('./process/start.ts')

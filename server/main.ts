import './process/first.ts'

// Not by import statements: a Node links all of those first, and one that is too old fails at that
// with a stack trace. The rest of the program, loaded first, would let the heap grow.
void import('./process/small-heap.ts').then(() => import('./process/start.ts'))

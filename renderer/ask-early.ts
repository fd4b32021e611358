import { askEarly } from './api/early.ts'

// A module of its own, for imports run before everything else in the one that has them.
askEarly()

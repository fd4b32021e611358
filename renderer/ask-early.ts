import { askEarly } from './api/early.ts'
import { firstLanguage, TEXTS } from './i18n/texts.ts'

// A module of its own, for imports run before everything else in the one that has them.
askEarly()
// Whoever needs them asks again, and learns there why they cannot be had.
TEXTS[firstLanguage()]().catch(() => undefined)

import { askEarly } from './api/early.ts'
import { firstLanguage, TEXTS } from './i18n/texts.ts'

// A module of its own, for imports run before everything else in the one that has them.
askEarly()
// i18n.ts needs them, and asks again where this fails.
TEXTS[firstLanguage()]().catch(() => undefined)

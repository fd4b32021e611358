import { askEarly } from './api/early.ts'
import { firstLanguage, TEXTS } from './i18n/texts.ts'

// A module of its own, because imports run before all else in the module that has them.
askEarly()
// Texts for i18n.ts, which asks again if this fails.
TEXTS[firstLanguage()]().catch(() => undefined)

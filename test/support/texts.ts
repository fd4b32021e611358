/// <reference path="../../renderer/i18n/types.d.ts" />
import i18next from 'i18next'
import { en } from '../../renderer/i18n/en.ts'
import { id } from '../../renderer/i18n/id.ts'
import { numbers, OPTIONS } from '../../renderer/i18n/resources.ts'

/** Every text of the window, by language. */
export const RESOURCES = { en: { translation: en }, id: { translation: id } }

const speaker = i18next.createInstance()
await speaker.use(numbers).init({ ...OPTIONS, lng: 'en', resources: RESOURCES })

/** A text of the window by its key: tests ask whether it is there, not how it is worded. */
export const text = speaker.getFixedT('en')
export const textId = speaker.getFixedT('id')

/** The beginning of a text, as a pattern: for names that go on with something else. */
export const beginning = (start: string): RegExp => new RegExp(`^${escaped(start)}`)

/** Parts of a name in their order, whatever is between them. */
export const inOrder = (...parts: string[]): RegExp => new RegExp(parts.map(escaped).join('.*'), 's')

const escaped = (part: string) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')

/// <reference path="../../renderer/i18n/types.d.ts" />
import i18next from 'i18next'
import { en } from '../../renderer/i18n/en.ts'
import { id } from '../../renderer/i18n/id.ts'
import { numbers, OPTIONS } from '../../renderer/i18n/resources.ts'

export const RESOURCES = { en: { translation: en }, id: { translation: id } }

const speaker = i18next.createInstance()
await speaker.use(numbers).init({ ...OPTIONS, lng: 'en', resources: RESOURCES })

/** Returns a text of the window by its key, so that tests do not depend on wording. */
export const text = speaker.getFixedT('en')
export const textId = speaker.getFixedT('id')

/** Matches names that begin with a text and continue with something else. */
export const beginning = (start: string): RegExp => new RegExp(`^${escaped(start)}`)

/** Matches a name that has these parts in order, with anything in between. */
export const inOrder = (...parts: string[]): RegExp => new RegExp(parts.map(escaped).join('.*'), 's')

const escaped = (part: string) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')

import { useTranslation } from 'react-i18next'
import { useSenders } from '../../api/senders.ts'
import { useTables } from '../../api/tables.ts'
import { TOPICS } from '../../model/help-topics.ts'
import { customerPath, isNumber } from '../../model/phone.ts'
import { SECTIONS } from '../../model/settings-sections.ts'
import { TAB_PAGES, usePlaces } from '../navigation/places.ts'

/** A page, or a part of one, that has an address. `href` null: the list of keys. */
export interface Target {
  label: string
  /** Name of the page that the target is on. Null: the target is a page itself. */
  where: string | null
  href: string | null
}

/** Returns the targets whose name contains every typed word. */
export function useTargets(typed: string): Target[] {
  const { t } = useTranslation()
  const senders = useSenders().data ?? []
  const tables = useTables().data ?? []
  const text = typed.trim()
  const acts: Target[] = [
    { label: t('messages.write'), where: t('nav.pages.messages'), href: '/write' },
    { label: t('write.table'), where: t('messages.write'), href: '/write?kind=table' },
    { label: t('prints.title'), where: t('nav.pages.settings'), href: '/prints' },
    { label: t('acts.title'), where: t('nav.pages.settings'), href: '/acts' },
    { label: t('help.title'), where: null, href: '/help' },
    { label: t('palette.keys'), where: null, href: null },
  ]
  const pages = usePlaces().map(({ path, name }) => ({ label: t(`nav.pages.${name}`), where: null, href: path }))
  const tabs = Object.values(TAB_PAGES).flatMap(([first, ...others]) =>
    others.map(({ path, name }) => ({
      label: t(`nav.pages.${name}`),
      where: t(`nav.pages.${first.name}`),
      href: path,
    })),
  )
  const numbers = senders.map(({ sender_code, name }) => ({
    label: name,
    where: t('nav.pages.senders'),
    href: `/senders?open=${sender_code}`,
  }))
  const sent = tables.map(({ id, name }) => ({
    label: name || t('tables.pasted'),
    where: t('tables.earlier'),
    href: `/tables/${id}`,
  }))
  const sections = SECTIONS.map((id) => ({
    label: t(`settings.${id}.title`),
    where: t('nav.pages.settings'),
    href: `/settings#${id}`,
  }))
  const troubles = TOPICS.map(({ name }) => ({
    label: t(`help.topics.${name}.title`),
    where: t('help.title'),
    href: `/help#${name}`,
  }))
  const words = text.toLowerCase().split(/\s+/)
  const fits = ({ label, where }: Target) => words.every((word) => `${label} ${where}`.toLowerCase().includes(word))
  const found = [...pages, ...tabs, ...acts, ...numbers, ...sections, ...sent, ...troubles].filter(fits)
  if (text === '') return found
  const customer = { label: t('palette.customer', { number: text }), where: null, href: customerPath(text) }
  const messages = {
    label: t('palette.messages', { text }),
    where: null,
    href: `/messages?q=${encodeURIComponent(text)}`,
  }
  return [...(isNumber(text) ? [customer] : []), ...found, messages]
}

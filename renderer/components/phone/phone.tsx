import { Text } from '@mantine/core'
import { type ReactNode, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import type { MessageRow } from '../../../server/contract/messages.ts'
import type { Template } from '../../api/templates.ts'
import { Bubble } from './bubble.tsx'
import classes from './phone.module.css'

interface PhoneProps {
  /** Name of the writer, as the customer sees it. */
  from: string
  /** Newest first. */
  messages: MessageRow[]
  /** Known templates, for drawing template messages as the customer sees them. */
  templates?: Template[]
  /** A message that is being written, shown at the end. */
  draft?: ReactNode
}

/** A picture of the customer's phone, with the sent messages and their present ticks. */
export function Phone({ from, messages, templates = [], draft = null }: PhoneProps) {
  const { t } = useTranslation()
  const screen = useRef<HTMLDivElement>(null)
  const newest = messages[0]?.id

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new message scrolls the chat to its end
  useEffect(() => {
    screen.current?.scrollTo({ top: screen.current.scrollHeight })
  }, [newest])

  return (
    <section className={classes.phone} aria-label={t('write.phoneLabel')}>
      <div className={classes.top}>
        <span className={classes.face} aria-hidden="true">
          {from.slice(0, 1).toUpperCase()}
        </span>
        <Text component="span" fw={600} truncate>
          {from}
        </Text>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the chat scrolls, so the keyboard must reach it */}
      <div ref={screen} className={classes.screen} role="log" aria-label={t('write.phoneLabel')} tabIndex={0}>
        {messages.length === 0 && draft === null ? (
          <Text size="sm" c="dimmed" ta="center" m="auto" px="md">
            {t('write.phoneEmpty')}
          </Text>
        ) : (
          messages.toReversed().map((message) => <Bubble key={message.id} message={message} templates={templates} />)
        )}
        {draft}
      </div>
    </section>
  )
}

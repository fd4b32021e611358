import { Text } from '@mantine/core'
import { IconPoint } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'
import type { Attempt } from '../../../server/contract/messages.ts'
import { clockTime } from '../../model/time.ts'
import classes from './message-log.module.css'
import { useOutcomeWord } from './use-outcome-word.ts'

export function Attempts({ attempts }: { attempts: Attempt[] }) {
  const { t, i18n } = useTranslation()
  const outcomeWord = useOutcomeWord()
  return (
    <ol className={classes.timeline}>
      {attempts.map(({ number, at, outcome, reason }) => (
        <li key={number}>
          <IconPoint size={18} aria-hidden="true" />
          <span>
            {t('messages.attempt', { number })}: {outcomeWord(outcome)}
            {reason === null ? null : (
              <Text component="span" display="block" size="xs" c="dimmed">
                {reason}
              </Text>
            )}
          </span>
          <time dateTime={at}>{clockTime(at, i18n.language)}</time>
        </li>
      ))}
    </ol>
  )
}

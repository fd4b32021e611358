import { Text } from '@mantine/core'
import { type Concern, isAlarm } from '../../../server/contract/concerns.ts'
import { ConcernButton } from '../../components/concern-button.tsx'
import { useConcernWords } from '../../hooks/use-concerns.ts'
import { ConcernIcon } from './concern-icon.tsx'
import classes from './overview.module.css'
import { SeenButton } from './seen-button.tsx'

/** A concern in one line. An alarm has its advice below. */
export function ConcernRow({ concern }: { concern: Concern }) {
  const { title, advice } = useConcernWords()(concern)
  return (
    <li className={classes.concern}>
      <ConcernIcon weight={concern.weight} size={20} />
      <div>
        <Text title={advice}>{title}</Text>
        {isAlarm(concern) ? (
          <Text size="sm" c="dimmed">
            {advice}
          </Text>
        ) : null}
      </div>
      <ConcernButton concern={concern} variant="default" />
      <SeenButton concern={concern} />
    </li>
  )
}

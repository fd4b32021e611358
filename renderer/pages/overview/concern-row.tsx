import { Text } from '@mantine/core'
import type { Concern } from '../../../server/contract/concerns.ts'
import { ConcernButton } from '../../components/concern-button.tsx'
import { useConcernWords } from '../../hooks/use-concerns.ts'
import { ConcernIcon } from './concern-icon.tsx'
import classes from './overview.module.css'

export function ConcernRow({ concern }: { concern: Concern }) {
  const { title, advice } = useConcernWords()(concern)
  return (
    <li className={classes.concern}>
      <ConcernIcon weight={concern.weight} size={20} />
      <div>
        <Text>{title}</Text>
        <Text size="sm" c="dimmed">
          {advice}
        </Text>
      </div>
      <ConcernButton concern={concern} variant="default" />
    </li>
  )
}

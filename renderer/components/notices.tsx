import { useReducedMotion } from '@mantine/hooks'
import { Notifications } from '@mantine/notifications'

const SLIDE = 250

/** The place of notifications, beside the menu. */
export default function Notices() {
  const still = useReducedMotion()
  return <Notifications position="bottom-left" transitionDuration={still ? 0 : SLIDE} />
}

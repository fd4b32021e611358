import { Notifications } from '@mantine/notifications'

/** Good news, beside the menu. */
export default function Notices() {
  return <Notifications position="bottom-left" />
}

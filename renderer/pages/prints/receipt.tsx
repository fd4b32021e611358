import { Button, Group, Stack, Text } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { LearnRequest, PrintDetail } from '../../../server/slices/printer/contract.ts'
import { useLearn } from '../../api/prints.ts'
import { ErrorState } from '../../components/error-state.tsx'
import { Section } from '../../components/section.tsx'
import classes from './prints.module.css'

type Mark = PrintDetail['marks'][number]

const isSame = (a: Mark | null, b: Mark) => a?.line === b.line && a.from === b.from

/** A print as it came. Texts that may be a number are buttons, with which the owner marks one. */
export function Receipt({ print: { id, lines, marks } }: { print: PrintDetail }) {
  const { t } = useTranslation()
  const [marked, setMarked] = useState<Mark | null>(null)
  const learn = useLearn()
  const text = marked === null ? '' : (lines[marked.line] ?? '').slice(marked.from, marked.to)

  function teach(what: LearnRequest['what']) {
    if (marked === null) return
    const { line, from } = marked
    const onSuccess = () => {
      setMarked(null)
      notifications.show({ message: t(`prints.learnt.${what}`) })
    }
    learn.mutate({ print_id: id, what, line, from }, { onSuccess })
  }

  return (
    <Section title={t('prints.receipt')}>
      {marks.length === 0 ? null : <Text size="sm">{t('prints.press')}</Text>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a wide receipt scrolls, so the keyboard must reach it */}
      <section className={classes.paper} aria-label={t('prints.lines')} tabIndex={0}>
        {lines.map((line, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines of a print that stays as it is
          <div key={at} className={classes.line}>
            {piecesOf(
              line,
              marks.filter((mark) => mark.line === at),
              (mark, its) => (
                <button
                  key={mark.from}
                  type="button"
                  className={classes.piece}
                  aria-pressed={isSame(marked, mark)}
                  onClick={() => setMarked(isSame(marked, mark) ? null : mark)}
                >
                  {its}
                </button>
              ),
            )}
          </div>
        ))}
      </section>
      {marked === null ? null : (
        <Stack gap="xs" role="status">
          <Text size="sm">{t('prints.isWhat', { text })}</Text>
          <Group gap="sm">
            {(['number', 'reference'] as const).map((what) => (
              <Button
                key={what}
                size="xs"
                variant={what === 'number' ? 'filled' : 'default'}
                aria-busy={learn.isPending}
                onClick={() => (learn.isPending ? undefined : teach(what))}
              >
                {t(`prints.is.${what}`)}
              </Button>
            ))}
          </Group>
        </Stack>
      )}
      {learn.error === null ? null : <ErrorState error={learn.error} />}
    </Section>
  )
}

/** Cuts a line at its marks. */
function piecesOf(line: string, marks: Mark[], draw: (mark: Mark, text: string) => ReactNode): ReactNode[] {
  const pieces: ReactNode[] = []
  let at = 0
  for (const mark of marks) {
    pieces.push(line.slice(at, mark.from), draw(mark, line.slice(mark.from, mark.to)))
    at = mark.to
  }
  // The no-break space gives an empty line its height.
  return [...pieces, line.slice(at) || (at === 0 ? '\u00a0' : '')]
}

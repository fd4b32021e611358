import { Kbd, Modal, ScrollArea, Text, TextInput } from '@mantine/core'
import { useMounted } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation } from 'wouter'
import { PAGE_ID } from '../shell-ids.ts'
import classes from './palette.module.css'
import { type Target, useTargets } from './use-targets.ts'

export type Layer = 'find' | 'keys'

interface PaletteProps {
  /** The open layer. Null: none. */
  layer: Layer | null
  onLayer: (layer: Layer | null) => void
}

/** A layer above the page: a search for pages, senders and more, or the list of keys. */
export default function Palette({ layer, onLayer }: PaletteProps) {
  const { t } = useTranslation()
  // If it was asked for before its script had loaded, opening at once would lose the focus' place.
  const mounted = useMounted()
  const [hasLeft, setLeft] = useState(false)
  const close = (leaves: boolean) => {
    setLeft(leaves)
    onLayer(null)
  }
  return (
    <Modal
      opened={mounted && layer !== null}
      onClose={() => close(false)}
      returnFocus={!hasLeft}
      title={t(layer === 'keys' ? 'palette.keys' : 'palette.title')}
      closeButtonProps={{ 'aria-label': t('actions.close') }}
    >
      <FocusLeft />
      {layer === 'keys' ? <Keys /> : <Find leave={() => close(true)} showKeys={() => onLayer('keys')} />}
    </Modal>
  )
}

/** A focus that has nowhere to go back to goes to the page. */
function FocusLeft() {
  useEffect(
    () => () => {
      if (document.activeElement === document.body) document.getElementById(PAGE_ID)?.focus()
    },
    [],
  )
  return null
}

interface FindProps {
  /** Before another page opens. */
  leave: () => void
  showKeys: () => void
}

function Find({ leave, showKeys }: FindProps) {
  const { t } = useTranslation()
  const [, go] = useLocation()
  const [typed, setTyped] = useState('')
  const [chosen, setChosen] = useState(0)
  const id = useId()
  const found = useTargets(typed)
  const at = Math.min(chosen, found.length - 1)

  function open(target: Target | undefined) {
    if (target === undefined) return
    if (target.href === null) return showKeys()
    leave()
    go(target.href)
  }

  function onKeyDown(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      setChosen((at + step + found.length) % found.length)
    } else if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      event.preventDefault()
      open(found[at])
    }
  }

  return (
    <>
      <TextInput
        data-autofocus
        role="combobox"
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={`${id}-${at}`}
        aria-label={t('palette.hint')}
        placeholder={t('palette.hint')}
        leftSection={<IconSearch size={16} />}
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value)
          setChosen(0)
        }}
        onKeyDown={onKeyDown}
      />
      <ScrollArea.Autosize mah="50vh" mt="sm">
        <div role="listbox" id={id} aria-label={t('palette.title')}>
          {found.map((target, n) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard chooses in the field above
            <div
              key={`${target.href} ${target.label}`}
              id={`${id}-${n}`}
              role="option"
              tabIndex={-1}
              aria-selected={n === at}
              ref={n === at ? intoView : null}
              className={classes.option}
              onClick={() => open(target)}
            >
              {target.label}
              {target.where === null ? null : (
                <Text component="span" size="xs" c="dimmed">
                  {target.where}
                </Text>
              )}
            </div>
          ))}
        </div>
      </ScrollArea.Autosize>
    </>
  )
}

const intoView = (option: HTMLElement | null) => option?.scrollIntoView({ block: 'nearest' })

/** Keys that work everywhere except in fields. */
const KEYS = [
  { name: 'find', keys: ['Ctrl', 'K'] },
  { name: 'search', keys: ['/'] },
  { name: 'help', keys: ['?'] },
  { name: 'rows', keys: ['↑', '↓'] },
  { name: 'open', keys: ['Enter'] },
  { name: 'close', keys: ['Esc'] },
] as const

function Keys() {
  const { t } = useTranslation()
  return (
    <dl className={classes.keys}>
      {KEYS.map(({ name, keys }) => (
        <div key={name}>
          <dt>{t(`palette.does.${name}`)}</dt>
          <dd>
            {keys.map((key) => (
              <Kbd key={key}>{key}</Kbd>
            ))}
          </dd>
        </div>
      ))}
    </dl>
  )
}

import { styled } from '@mui/material/styles'
import { type KeyboardEvent, useId, useState } from 'react'
import { useNavigate } from 'react-router'
import { ownScans } from '../../lib/scanner.ts'
import { useLatestRequest } from '../../lib/use-latest-request.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { SearchIcon } from '../../ui/icons.tsx'
import { Spinner } from '../../ui/spinner.tsx'
import { JumpList } from './jump-list.tsx'
import { type JumpTarget, useJumpTargets } from './use-jump-targets.ts'

const Head = styled('div')({
  display: 'flex',
  alignItems: 'center',
  gap: 10,
  padding: '0 16px',
  borderBottom: '1px solid var(--line)',
  color: 'var(--text-3)',
  '& input': {
    flex: '1 1 auto',
    minWidth: 0,
    height: 48,
    border: 0,
    outline: 0,
    boxShadow: 'none',
    background: 'none',
    color: 'var(--text)',
    font: 'inherit',
    fontSize: 14,
  },
})
const Message = styled('p')({ padding: '12px 16px', color: 'var(--text-3)' })

/** Ctrl+K: search for a page or a record, or scan a tube. */
export const QuickJump = ({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) => {
  const begin = useLatestRequest()
  const close = () => {
    begin()
    onClose()
  }
  return (
    <Dialog
      open={isOpen}
      onClose={close}
      slotProps={{ paper: { 'aria-label': 'Quick jump', sx: { maxWidth: 460, alignSelf: 'flex-start', mt: '12vh' } } }}
    >
      <Jump begin={begin} onClose={close} />
    </Dialog>
  )
}

interface JumpProps {
  /** A search that Enter is waiting for is abandoned when something else is typed or chosen, or the dialog is closed. */
  begin: ReturnType<typeof useLatestRequest>
  onClose: () => void
}

const Jump = ({ begin, onClose }: JumpProps) => {
  const navigate = useNavigate()
  const id = useId()
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const { groups, pages, isBusy, isError, isStale, findNow } = useJumpTargets(text)
  const found = groups.flatMap(({ targets }) => targets)
  const go = (target: JumpTarget | undefined) => {
    if (target === undefined) return
    onClose()
    navigate(target.to)
  }
  const enter = async () => {
    const target = found[at]
    const isPage = target !== undefined && pages.some(({ key }) => key === target.key)
    if (isPage || !isStale) return go(target)
    // A scanner sends Enter before the results are there; a failure shows in the list.
    const isNewest = begin()
    const best = await findNow().catch(() => undefined)
    if (isNewest()) go(best)
  }
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (event.key === 'Enter') enter()
    if (step === undefined || found.length === 0) return
    event.preventDefault()
    setAt((at + step + found.length) % found.length)
  }
  return (
    <>
      <Head>
        {isBusy ? <Spinner sx={{ margin: '1px' }} /> : <SearchIcon />}
        <input
          {...ownScans}
          // biome-ignore lint/a11y/noAutofocus: the window is opened to type into it
          autoFocus
          role="combobox"
          aria-label="Quick jump"
          aria-expanded={found.length > 0}
          aria-controls={id}
          aria-activedescendant={found[at] && `${id}-${at}`}
          placeholder="Requisition, patient, client or page"
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={(event) => {
            begin()
            setText(event.target.value)
            setAt(0)
          }}
          onKeyDown={onKey}
        />
      </Head>
      {found.length === 0 && !isError && (
        <Message role="status">{isBusy ? 'Searching' : 'Nothing by that name.'}</Message>
      )}
      <JumpList id={id} groups={groups} activeIndex={at} onHighlight={setAt} onPick={go} />
      {isError && <Message role="alert">Records could not be searched. Pages still work.</Message>}
    </>
  )
}

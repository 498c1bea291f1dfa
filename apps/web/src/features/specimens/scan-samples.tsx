import OutlinedInput from '@mui/material/OutlinedInput'
import { useState } from 'react'
import { ownScans } from '../../lib/scanner.ts'
import { useNotify } from '../../ui/notices.tsx'

interface ScanSamplesProps {
  /** Returns the texts that are not valid. */
  onAdd: (text: string) => string[]
  /** What may be scanned. */
  code?: string
}

/** A scanner types a number and Enter; a list from a spreadsheet can be pasted. Shows texts that are not valid numbers. */
export const ScanSamples = ({ onAdd, code = 'bar code of a requisition' }: ScanSamplesProps) => {
  const [text, setText] = useState('')
  const notify = useNotify()
  const add = (given: string) => {
    setText('')
    const wrong = onAdd(given)
    if (wrong.length === 1) notify.warning(`${wrong[0]} is not the ${code}`)
    else if (wrong.length > 1)
      notify.warning(`${wrong.length} texts are not the ${code}: ${wrong.slice(0, 10).join(', ')}`)
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (text.trim() !== '') add(text)
      }}
    >
      <OutlinedInput
        fullWidth
        autoFocus
        value={text}
        onChange={(event) => setText(event.target.value)}
        onPaste={(event) => {
          const pasted = event.clipboardData.getData('text')
          if (!/[\s,;]/.test(pasted.trim())) return
          event.preventDefault()
          add(pasted)
        }}
        placeholder="Scan or paste sample numbers"
        slotProps={{ input: { ...ownScans, 'aria-label': 'Sample numbers', autoComplete: 'off', spellCheck: false } }}
      />
    </form>
  )
}

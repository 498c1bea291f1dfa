import { parseScannedCode, type ScannedCode } from '@lis/contract/specimens.ts'
import OutlinedInput from '@mui/material/OutlinedInput'
import { styled } from '@mui/material/styles'
import { type Ref, useState } from 'react'
import { ownScans } from '../../lib/scanner.ts'
import { useNotify } from '../../ui/notices.tsx'

// On a phone on a separate line, under the title and its button.
const Form = styled('form')(({ theme }) => ({ [theme.breakpoints.down('sm')]: { order: 1, flex: '1 0 100%' } }))

interface ScanBoxProps {
  onScan: (code: ScannedCode) => void
  ref?: Ref<HTMLInputElement>
}

/** A scanner is a keyboard that ends with Enter: it types the label's number here. */
export const ScanBox = ({ onScan, ref }: ScanBoxProps) => {
  const [text, setText] = useState('')
  const notify = useNotify()
  const scan = (event: React.FormEvent) => {
    event.preventDefault()
    if (text.trim() === '') return
    const code = parseScannedCode(text)
    setText('')
    if (code) onScan(code)
    else notify.warning(`${text.trim()} is not the bar code of a requisition`)
  }
  return (
    <Form onSubmit={scan}>
      <OutlinedInput
        inputRef={ref}
        value={text}
        onChange={(event) => setText(event.target.value)}
        placeholder="Scan to receive"
        slotProps={{
          input: {
            ...ownScans,
            'aria-label': 'Scan to receive',
            maxLength: 40,
            autoComplete: 'off',
            spellCheck: false,
          },
        }}
        sx={{ width: { xs: '100%', sm: 160 } }}
      />
    </Form>
  )
}

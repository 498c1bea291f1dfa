import Button from '@mui/material/Button'
import { useState } from 'react'
import { lineIcon } from '../../ui/icons.tsx'
import { lazyPart } from '../../ui/lazy-part.tsx'

const BarcodeIcon = lineIcon('M2 5V2.5h2.5M11.5 2.5H14V5M14 11v2.5h-2.5M4.5 13.5H2V11M5 5.5v5M7 5.5v5M9 5.5v5M11 5.5v5')
const ScanDialog = lazyPart(async () => (await import('./scan-dialog.tsx')).ScanDialog)

/** Receives tubes with the camera of a phone. */
export const ScanToReceive = () => {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button variant="contained" startIcon={<BarcodeIcon />} onClick={() => setOpen(true)}>
        Scan to receive
      </Button>
      {isOpen && <ScanDialog onClose={() => setOpen(false)} />}
    </>
  )
}

/** The result columns (1§3) in the order of the specification, with their headings (TEST-G7). */
export const resultColumns = {
  hdl: 'HDL',
  ldl: 'LDL',
  trig: 'TRIG',
  sdLdlC: 'sdLDL-C',
  vLdlC: 'VLDL-C',
  cholHdl: 'Chol/HDL',
  nonHdlC: 'Non-HDL-C',
  totalChol: 'Total Chol',
  apoA1: 'Apo A1',
  apoB: 'Apo B',
  apoBApoA1: 'Apo B/Apo A1',
  lp: 'Lp(a)',
  hsCrp: 'hs-CRP',
  hba1c: 'HbA1c',
  igG: 'IgG',
  igM: 'IgM',
  igGReagent: 'IgG Reagent',
  igMReagent: 'IgM Reagent',
  covidAg: 'COVID Ag',
  IgGII: 'IgG II',
  elpBlpScore: 'ELP/BLP Score',
  epbBlpCategory: 'ELP/BLP Category',
  puls: 'PULS',
  pulsScore: 'PULS Score',
  dp: 'DP',
  dpInterpretation: 'DP Interpretation',
  SVDx: 'SVDx',
} as const

export type ResultKey = keyof typeof resultColumns
export const resultKeys = Object.keys(resultColumns) as ResultKey[]

"""Groups of the documents of two collections: parties of senators, and regional groups of the United Nations."""

from __future__ import annotations

# Democrats, and independents who sat with them, in the Senate of 2004 to 2008; all others were Republicans.
DEMOCRATS = (
    "Akaka Baucus Bayh BenNelson Biden BillNelson Bingaman Boxer Brown Byrd Cantwell Cardin Carper Casey "
    "Clinton Conrad Corzine Dayton Dodd Dorgan Durbin Feingold Feinstein Harkin Inouye Jeffords Johnson "
    "Kennedy Kerry Klobuchar Kohl Landrieu Lautenberg Leahy Levin Lieberman Lincoln McCaskill Menendez "
    "Mikulski Murray Obama Pryor Reed Reid Rockefeller Salazar Sanders Sarbanes Schumer Stabenow Tester Webb "
    "Whitehouse Wyden"
)

# Regional groups by ISO 3166 code; states that are gone and observers are in the group of their region or successor.
BLOCS = {
    "African": (
        "AGO BDI BEN BFA BWA CAF CIV CMR COD COG COM CPV DJI DZA EGY ERI ETH GAB GHA GIN GMB GNB GNQ KEN LBR LBY "
        "LSO MAR MDG MLI MOZ MRT MUS MWI NAM NER NGA RWA SDN SEN SLE SOM SSD STP SWZ SYC TCD TGO TUN TZA UGA ZAF "
        "ZMB ZWE"
    ),
    "Asia-Pacific": (
        "AFG ARE BGD BHR BRN BTN CHN CYP FJI FSM IDN IND IRN IRQ JOR JPN KAZ KGZ KHM KIR KOR KWT LAO LBN LKA MDV "
        "MHL MMR MNG MYS NPL NRU OMN PAK PHL PLW PNG PRK PSE QAT SAU SGP SLB SYR THA TJK TKM TLS TON TUV UZB VNM "
        "VUT WSM YEM YMD"
    ),
    "Eastern European": (
        "ALB ARM AZE BGR BIH BLR CSK CZE CZK DDR EST GEO HRV HUN LTU LVA MDA MKD MNE POL ROU RUS SRB SVK SVN UKR YUG"
    ),
    "Latin American and Caribbean": (
        "ARG ATG BHS BLZ BOL BRA BRB CHL COL CRI CUB DMA DOM ECU GRD GTM GUY HND HTI JAM KNA LCA MEX NIC PAN PER "
        "PRY SLV SUR TTO URY VCT VEN"
    ),
    "Western European and Others": (
        "AND AUS AUT BEL CAN CHE DEU DNK ESP EU FIN FRA GBR GRC IRL ISL ISR ITA LIE LUX MCO MLT NLD NOR NZL PRT "
        "SMR SWE TUR USA VAT"
    ),
}
PARTY = dict.fromkeys(DEMOCRATS.split(), "Democrats")
BLOC = {code: bloc for bloc, codes in BLOCS.items() for code in codes.split()}


def party_of(senator: str) -> str:
    return PARTY.get(senator, "Republicans")


def bloc_of(country: str) -> str:
    """The regional group of a country; ValueError if its code is not known."""
    if country not in BLOC:
        raise ValueError(f"{country!r} has no regional group; add its code to BLOCS.")
    return BLOC[country]

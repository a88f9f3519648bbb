"""French, France. Phone numbers are in the ranges that Arcep keeps free for audiovisual works."""

from worldwright.kinds.database.compile.values.locale import Locale, cities, phrases, words

_WOMEN = words("""
Camille Léa Manon Chloé Emma Inès Jade Louise Alice Juliette Margaux Clémence Pauline Mathilde Élodie Amélie Aurélie
Céline Sandrine Nathalie Isabelle Sylvie Catherine Véronique Christine Martine Monique Françoise Brigitte Dominique
Valérie Sophie Hélène Anne-Laure Marie-Claire Anne-Sophie Marion Charlotte Lucie Agathe Éléonore Delphine Florence
Virginie Stéphanie Émilie Noémie Justine Océane Maëlle Gwenaëlle Fatima Yasmine Samira Nadia Leïla Khadija Aminata
Fatou Awa Mariama Linh Mei Sofia Giulia Inaya Soraya Rachida Solène
""")

_MEN = words("""
Lucas Hugo Louis Gabriel Arthur Jules Nathan Théo Maxime Antoine Alexandre Thomas Nicolas Julien Pierre Paul Jean
Jean-Pierre Jean-Luc Jean-Baptiste Pierre-Yves François Philippe Michel Alain Bernard Gérard Patrick Christophe Laurent
Stéphane Olivier Frédéric Sébastien Guillaume Benoît Matthieu Romain Florian Clément Quentin Adrien Baptiste Valentin
Rémi Étienne Xavier Yann Loïc Erwan Mathis Karim Mehdi Rachid Youssef Ahmed Samir Mamadou Ousmane Ibrahima Moussa
Cheikh Minh Marco Diego Thierry Hervé Didier
""")

_FAMILIES = words("""
Martin Bernard Dubois Thomas Robert Richard Petit Durand Leroy Moreau Simon Laurent Lefebvre Michel Garcia David
Bertrand
Roux Vincent Fournier Morel Girard André Lefèvre Mercier Dupont Lambert Bonnet François Martinez Legrand Garnier Faure
Rousseau Blanc Guérin Muller Henry Roussel Nicolas Perrin Morin Mathieu Clément Gauthier Dumont Lopez Fontaine Chevalier
Robin Masson Sanchez Gérard Nguyen Boyer Denis Lemaire Duval Joly Gautier Roger Roche Roy Noël Meyer Lucas Meunier Jean
Perez Marchand Dufour Blanchard Marie Barbier Brun Dumas Brunet Schmitt Leroux Colas Fernandez Renard Arnaud Rolland
Caron Aubert Giraud Leclerc Vidal Bourgeois Renaud Lemoine Picard Gaillard Philippe Leclercq Lacroix Fabre Dupuis
Olivier Rodriguez Da-Silva Hubert Louis Charles Guillot Rivière Le-Gall Benali Haddad Belkacem Bouchard Traoré Diallo
Diop Ndiaye Keita Cissé Koné Tran Pham Rossi Ferreira Pereira Kowalski Cohen Lévy Besson Carpentier Delacroix Vasseur
Poirier Charpentier Tessier
""")

_CITIES = cities("""
Paris | Île-de-France | 7500%,7501# | 01 99 00 ## ##
Marseille | Provence-Alpes-Côte d'Azur | 1300% | 04 65 71 ## ##
Lyon | Auvergne-Rhône-Alpes | 6900% | 04 65 71 ## ##
Toulouse | Occitanie | 31%00,31000 | 05 36 49 ## ##
Nice | Provence-Alpes-Côte d'Azur | 06%00,06000 | 04 65 71 ## ##
Nantes | Pays de la Loire | 44%00,44000 | 02 61 91 ## ##
Strasbourg | Grand Est | 67%00,67000 | 03 53 01 ## ##
Montpellier | Occitanie | 340%0,34000 | 04 65 71 ## ##
Bordeaux | Nouvelle-Aquitaine | 33%00,33000 | 05 36 49 ## ##
Lille | Hauts-de-France | 59%00,59000 | 03 53 01 ## ##
Rennes | Bretagne | 35%00,35000 | 02 61 91 ## ##
Reims | Grand Est | 51100 | 03 53 01 ## ##
Le Havre | Normandie | 766%0,76600 | 02 61 91 ## ##
Grenoble | Auvergne-Rhône-Alpes | 38%00,38000 | 04 65 71 ## ##
Dijon | Bourgogne-Franche-Comté | 21000 | 03 53 01 ## ##
Angers | Pays de la Loire | 49%00,49000 | 02 61 91 ## ##
Clermont-Ferrand | Auvergne-Rhône-Alpes | 63%00,63000 | 04 65 71 ## ##
Tours | Centre-Val de Loire | 37%00,37000 | 02 61 91 ## ##
Amiens | Hauts-de-France | 80%00,80000 | 03 53 01 ## ##
Metz | Grand Est | 570%0,57000 | 03 53 01 ## ##
Brest | Bretagne | 292%0,29200 | 02 61 91 ## ##
Limoges | Nouvelle-Aquitaine | 87%00,87000 | 05 36 49 ## ##
""")

_STREETS = phrases("""
de la République; de la Liberté; de la Gare; de la Paix; de la Mairie; de la Fontaine; de la Croix; de la Poste
du Moulin; du Château; du Marché; du Commerce; du Stade; du Lavoir; du Parc; du Port; du Pont Neuf; de l'Église
de l'Industrie; de l'Abbaye; des Lilas; des Tilleuls; des Acacias; des Peupliers; des Jardins; des Écoles; des Vignes
des Artisans; des Roses; Victor Hugo; Jean Jaurès; Pasteur; Voltaire; Émile Zola; Gambetta; Molière; Jules Ferry
Marie Curie; Jeanne d'Arc; Claude Monet; Alphonse Daudet; Georges Sand; Saint-Martin; Saint-Jacques; Saint-Michel
Nationale; Royale
""")

_ROOTS = words("""
Novalys Altéis Clairval Montferrand Rivelac Belmontet Solvaria Hautvent Lumélia Ardenelle Boréalis Calystée Delvaux
Écoval Florentis Granval Hélianthe Ivoria Jurassec Kerval Lavandine Méridiel Nordéa Océalis Prévalis Quintessor
Rochefine
Sylvania Terravie Ubéria Valtech Vertigis Yséria Zénithal Armoricat Bellerive Cévenor Doriane Estuaire Fleuriel Garonnex
Horizéa Isalpes Jonquille Loréade Mistralia Néroli Orélis Pyrénéa Régalis Saônelle Toscanel Vercorin Wallonix Aquitel
Bastidis Corallin Dunéa Étoilis Galaxor Lérina Morvane Opaléo Sirocco
""")

_ROOT_TRADES = phrases("""
Logistique; Transports; Distribution; Emballages; Bureautique; Fournitures; Industrie; Mécanique; Électricité; Plomberie
Chauffage; Climatisation; Bâtiment; Construction; Travaux; Rénovation; Menuiserie; Métallerie; Plastiques
Chimie; Pharma
Santé; Optique; Laboratoires; Instruments; Automatismes; Robotique; Informatique; Systèmes; Réseaux; Logiciels; Données
Conseil; Formation; Intérim; Sécurité; Propreté; Énergie; Solaire; Environnement; Recyclage; Agro
Alimentation; Boissons
Traiteur; Voyages; Loisirs; Sport; Jouets; Édition; Médias; Communication; Design; Architecture; Ingénierie; Immobilier
Assurances; Participations; Négoce; Import; Services; Textile; Habillement; Mobilier; Décoration
""")

_FAMILY_TRADES = phrases("""
Transports; Menuiserie; Imprimerie; Boulangerie; Établissements; Ateliers; Garage; Plomberie; Électricité; Peinture
Maçonnerie; Charpentes; Couverture; Serrurerie; Métallerie; Mécanique; Carrosserie; Pépinières; Vignobles; Fromagerie
Charcuterie; Pâtisserie; Traiteur; Cafés; Brasserie; Librairie; Papeterie; Cartonnages; Emballages; Textiles; Tissages
Confection; Chaussures; Meubles; Ébénisterie; Verrerie; Céramiques; Fonderie; Outillage; Quincaillerie; Matériaux
Carrelages; Construction; Travaux; Terrassement; Paysages; Horticulture; Semences; Élevages; Pêcheries; Conserves
Minoterie; Huilerie; Savonnerie; Parfums; Cosmétiques; Optique; Laboratoires; Pharmacie; Ambulances; Déménagements
Voyages; Autocars; Nettoyage; Cabinet; Conseil
""")

LOCALE = Locale(
    code="fr_FR",
    country="France",
    dial="+33",
    women=_WOMEN,
    men=_MEN,
    families=_FAMILIES,
    cities=_CITIES,
    street_names=_STREETS,
    street_types=words("rue rue rue rue avenue avenue boulevard place chemin allée"),
    street_form="{n} {type} {name}",
    last_house=140,
    units=phrases("bâtiment @; appartement %; appartement 1#; %e étage"),
    mobiles=("06 39 98 ## ##",),
    roots=_ROOTS,
    root_trades=_ROOT_TRADES,
    family_trades=_FAMILY_TRADES,
    family_first=False,
    suffixes=phrases("SARL; SAS; SA; EURL; SNC"),
)
